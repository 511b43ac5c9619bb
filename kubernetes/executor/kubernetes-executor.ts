import type { Readable } from 'node:stream'
import type { ExecutorCapacity } from '../../agent/port/capacity.ts'
import { ExecutorRefused, ExecutorUnavailable, SandboxUnknown } from '../../agent/port/errors.ts'
import type { Executor } from '../../agent/port/executor.ts'
import type { ImageLayer } from '../../agent/port/images.ts'
import type { PackageMirror } from '../../agent/port/package-mirror.ts'
import type { Builder, PlatformPort, Runner } from '../../agent/port/platform.ts'
import { neverStarted } from '../../agent/port/refusal-causes.ts'
import type { LogPart } from '../../agent/port/results.ts'
import { programNeverStarted, type SandboxExit } from '../../agent/port/sandbox-exit.ts'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import type { SandboxSummary } from '../../agent/port/sandboxes.ts'
import { requireInTime } from '../../agent/port/start-in-time.ts'
import type { StartInput } from '../../agent/port/start-input.ts'
import type { Clock } from '../../server/base/clock.ts'
import { KubernetesUnavailable } from '../api/failures.ts'
import { podsOf } from '../api/paths.ts'
import type { PodSession, PodSessions } from '../gateway/pod-session.ts'
import type { PodSettings } from '../pod/pod-settings.ts'
import { podName, runPod } from '../pod/run-pod.ts'
import type { RecordState, SandboxRecords } from '../records/sandbox-records.ts'
import type { ResultStore } from '../results/result-store.ts'
import { StoredResults } from '../results/stored-results.ts'
import type { ClusterImages } from './cluster-images.ts'
import type { PodApi } from './pod-api.ts'
import type { PodWatch } from './pod-watch.ts'
import { ensurePod, watchStart } from './start-pod.ts'

export interface KubernetesExecutorOptions {
  client: PodApi
  namespace: string
  settings: PodSettings
  records: SandboxRecords
  sessions: PodSessions
  watch: PodWatch
  store: ResultStore
  images: ClusterImages
  /** The platform's parts that versions are built with: the same release on every executor. */
  platform: PlatformPort
  /** Pods at once. */
  slots: number
  clock: Clock
}

/** Between two looks at the record of a sandbox that another process may have changed. */
const lookEveryMs = 5000

/** Sandboxes as pods of one namespace. The record of an id says whether it started; a pod says nothing about that. */
export class KubernetesExecutor implements Executor {
  readonly #options: KubernetesExecutorOptions
  readonly #results: StoredResults

  constructor(options: KubernetesExecutorOptions) {
    this.#options = options
    this.#results = new StoredResults(options)
  }

  async start(spec: SandboxSpec, input: StartInput): Promise<void> {
    const { records, clock, settings, images } = this.#options
    const earlier = await records.find(spec.id)
    if (!earlier) requireInTime(spec, clock.now())
    if (earlier && earlier.state !== 'placed') return this.#startedEarlier(earlier)
    if (spec.network !== 'none' && spec.network.service)
      throw new ExecutorRefused('service_unreachable', 'callbacks do not reach the service from pods')
    const image = await images.find(spec.rootfs)
    if (image === undefined) throw new ExecutorRefused('image_missing', 'the registry has no such image')
    const manifest = runPod(spec, image, settings)
    const state = await records.place(spec)
    if (state !== 'placed') return this.#startedEarlier({ id: spec.id, state })
    const session = this.#options.sessions.of(spec.id)
    if (session.offer(input)) await this.#startPod(spec.id, manifest, session)
    else await session.started
    await this.#requireStarted(spec.id)
  }

  async #startPod(id: string, manifest: { metadata: { name: string } }, session: PodSession): Promise<void> {
    const { name } = manifest.metadata
    const over = new AbortController()
    try {
      const uid = await whileAway(ensurePod(this.#options, manifest))
      session.podUid = uid
      const failing = this.#failing(id, watchStart(this.#options, { name, uid, signal: over.signal }))
      await Promise.race([session.started, failing])
    } catch (error) {
      // The answer to its creation was lost, and the pod has asked for its input since.
      if ((await this.#options.records.find(id))?.state === 'redeemed') return await session.started
      session.fail(error)
      await this.#deletePod(id, session.podUid)
      throw error
    } finally {
      over.abort()
    }
  }

  /** A pod that has redeemed its id is not given up: its collector, or the watch over those that are lost, says how it ended. */
  async #failing(id: string, watched: Promise<void>): Promise<void> {
    try {
      await watched
    } catch (error) {
      if ((await this.#options.records.find(id))?.state === 'placed') throw error
    }
    await new Promise<never>(() => {})
  }

  /** An id that was started before. Waits until its start is over. */
  async #startedEarlier({ id, state }: { id: string; state: RecordState }): Promise<void> {
    if (state === 'forbidden' || state === 'removed')
      throw new ExecutorRefused(state, `sandbox ${id} may not start`)
    if (state === 'redeemed') await this.#options.sessions.find(id)?.started
    await this.#requireStarted(id)
  }

  async #requireStarted(id: string): Promise<void> {
    const record = await this.#options.records.find(id)
    if (!record?.spec || !record.exit) return
    const exit = await this.#results.exitOf({ id, spec: record.spec, exit: record.exit })
    if (programNeverStarted(exit))
      throw new ExecutorRefused(neverStarted, `sandbox ${id} ended before its program started`)
  }

  async wait(id: string, signal = new AbortController().signal): Promise<SandboxExit> {
    const { records, sessions } = this.#options
    for (;;) {
      signal.throwIfAborted()
      const record = await records.find(id)
      if (!record?.spec || record.state === 'placed') throw new SandboxUnknown(id)
      const { spec, exit } = record
      if (exit) return this.#results.exitOf({ id, spec, exit })
      await sessions.of(id).changes.next(lookEveryMs, signal)
    }
  }

  stop(id: string): Promise<void> {
    return this.#end(id, 2)
  }

  terminate(id: string): Promise<void> {
    return this.#end(id, 1)
  }

  async #end(id: string, level: 1 | 2): Promise<void> {
    const state = await this.#options.records.stop(id, level)
    if (state === undefined || state === 'forbidden' || state === 'removed') throw new SandboxUnknown(id)
    this.#options.sessions.find(id)?.changes.notify()
  }

  async forbid(id: string): Promise<boolean> {
    const isForbidden = await this.#options.records.forbid(id)
    if (!isForbidden) return false
    const { sessions } = this.#options
    sessions.find(id)?.fail(new ExecutorRefused('forbidden', `sandbox ${id} may not start`))
    sessions.end(id)
    await this.#deletePod(id)
    return true
  }

  /** Its results go first: what a crash leaves is found by the record. */
  async remove(id: string): Promise<void> {
    const { records, sessions } = this.#options
    const record = await records.find(id)
    if (!record || record.state === 'forbidden' || record.state === 'removed') return
    if (!record.spec || record.state !== 'exited')
      throw new ExecutorRefused('running', `sandbox ${id} has not ended: stop it first`)
    await this.#results.remove(id, record.spec)
    await this.#deletePod(id)
    await records.remove(id)
    sessions.end(id)
  }

  /** A sandbox that is placed has not started: who placed it knows. */
  async list(): Promise<SandboxSummary[]> {
    const all = await this.#options.records.list()
    return all
      .filter(({ state }) => state !== 'placed')
      .map(({ id, state }) => ({ id, state: state === 'exited' ? 'exited' : 'running' }))
  }

  log(id: string): Promise<Readable> {
    return this.#results.log(id)
  }

  logSince(id: string, position: number, waitMs?: number): Promise<LogPart> {
    return this.#results.logSince(id, position, waitMs)
  }

  file(id: string, name: string): Promise<Readable> {
    return this.#results.file(id, name)
  }

  tree(id: string): Promise<Readable> {
    return this.#results.tree(id)
  }

  folder(id: string): Promise<Readable> {
    return this.#results.folder(id)
  }

  hasImage(digest: string): Promise<boolean> {
    return this.#options.images.has(digest)
  }

  installImage(digest: string, layer: ImageLayer, lower?: string): Promise<void> {
    return this.#options.images.install(digest, layer, lower)
  }

  removeImage(digest: string): Promise<void> {
    return this.#options.images.remove(digest)
  }

  /** Counted in pods: how large they are, the quota of the namespace bounds. */
  async capacity(): Promise<ExecutorCapacity> {
    const { slots, watch } = this.#options
    const running = Math.min(slots, watch.all().length)
    return {
      cpus: slots,
      memoryBytes: slots * podMemoryBytes,
      slots,
      running,
      warmStarts: { hits: 0, misses: 0 },
    }
  }

  runner(): Promise<Runner> {
    return this.#options.platform.runner()
  }

  builder(): Promise<Builder> {
    return this.#options.platform.builder()
  }

  mirrors(): Promise<PackageMirror[]> {
    return this.#options.platform.mirrors()
  }

  /** Residue is swept: an API server that is away delays no end of a run. */
  async #deletePod(id: string, knownUid?: string): Promise<void> {
    const { client, namespace, watch } = this.#options
    const name = podName(id)
    const uid = knownUid ?? watch.find(name)?.metadata.uid
    if (uid !== undefined) await client.delete(podsOf(namespace), { name, uid }, 0).catch(() => {})
  }
}

/** Of the standard profile. */
const podMemoryBytes = 1280 * 1024 ** 2

async function whileAway<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof KubernetesUnavailable)) throw error
    throw new ExecutorUnavailable(error.message, { cause: error })
  }
}
