import { sleep } from '../../server/base/clock.ts'
import type { Log } from '../../server/base/logging.ts'
import { type Followed, follow } from '../api/follow.ts'
import type { KubernetesObject } from '../api/objects.ts'
import { podsOf } from '../api/paths.ts'
import { Changes } from '../gateway/changes.ts'
import { podLabels } from '../pod/pod-settings.ts'
import { hasJobEnded } from '../pod/pod-state.ts'
import type { PodApi } from './pod-api.ts'

export interface PodWatchOptions {
  client: PodApi
  namespace: string
  /** The id of the executor whose pods these are. */
  executor: string
  log: Log
}

const afterRefusalMs = 5000

/** The pods of an executor, as the API server last reported them. It is away for minutes at times: nothing is concluded from its silence. */
export class PodWatch {
  readonly #options: PodWatchOptions
  readonly #pods = new Map<string, KubernetesObject>()
  readonly #stopping = new AbortController()
  #ended: Promise<void> | undefined
  /** Every pod was listed since the last time that everything was to be listed. */
  isWhole = false
  readonly changes = new Changes()

  constructor(options: PodWatchOptions) {
    this.#options = options
  }

  start(): void {
    this.#ended = this.#follow()
  }

  /** By the name of the pod. */
  find(name: string): KubernetesObject | undefined {
    return this.#pods.get(name)
  }

  /** Whether the container of the job of the pod has ended. Not before all pods were listed: until then a live one may be missing. */
  hasJobEnded(name: string): boolean {
    const pod = this.find(name)
    return pod === undefined ? this.isWhole : hasJobEnded(pod)
  }

  all(): KubernetesObject[] {
    return [...this.#pods.values()]
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#ended
  }

  async #follow(): Promise<void> {
    const { client, namespace, executor, log } = this.#options
    const { signal } = this.#stopping
    const labelSelector = `${podLabels.executor}=${executor}`
    while (!signal.aborted) {
      try {
        for await (const event of follow(client, podsOf(namespace), { signal, labelSelector }))
          this.#take(event)
      } catch (error) {
        if (signal.aborted) return
        this.isWhole = false
        log.error({ error: String(error) }, 'pods cannot be listed')
        await sleep(afterRefusalMs, signal)
      }
    }
  }

  #take(event: Followed): void {
    if (event.kind === 'all') {
      this.#pods.clear()
      for (const pod of event.objects) this.#pods.set(pod.metadata.name, pod)
      this.isWhole = true
    } else if (event.kind === 'removed') this.#pods.delete(event.object.metadata.name)
    else this.#pods.set(event.object.metadata.name, event.object)
    this.changes.notify()
  }
}
