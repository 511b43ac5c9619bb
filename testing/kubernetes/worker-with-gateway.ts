import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { ClusterImages } from '../../kubernetes/executor/cluster-images.ts'
import { KubernetesExecutor } from '../../kubernetes/executor/kubernetes-executor.ts'
import { sweepPods } from '../../kubernetes/executor/lost-pods.ts'
import { PodWatch } from '../../kubernetes/executor/pod-watch.ts'
import { GatewayAuthority, newAuthorityKey } from '../../kubernetes/gateway/authority.ts'
import { Gateway } from '../../kubernetes/gateway/gateway.ts'
import { PodSessions } from '../../kubernetes/gateway/pod-session.ts'
import { PodTokens } from '../../kubernetes/gateway/pod-tokens.ts'
import type { PodSettings } from '../../kubernetes/pod/pod-settings.ts'
import { podName } from '../../kubernetes/pod/run-pod.ts'
import type { SandboxRecords } from '../../kubernetes/records/sandbox-records.ts'
import type { ResultStore } from '../../kubernetes/results/result-store.ts'
import { type Clock, systemClock } from '../../server/base/clock.ts'
import { createLog } from '../../server/base/logging.ts'
import { FakeExecutor } from '../fake-executor/fake-executor.ts'
import { type FakeCluster, fakeNamespace } from './fake-cluster.ts'

/** Objects in memory. */
export class MemoryResults implements ResultStore {
  readonly objects = new Map<string, Buffer>()
  /** While it is away each put fails. */
  isAway = false

  async put(key: string, body: Readable): Promise<void> {
    const bytes = await buffer(body)
    if (this.isAway) throw new Error('the store is away')
    this.objects.set(key, bytes)
  }

  async get(key: string, { start, end }: { start: number; end: number } = { start: 0, end: Infinity }) {
    const bytes = this.objects.get(key)
    if (!bytes) throw new Error(`no object ${key}`)
    return Readable.from([bytes.subarray(start, end + 1)])
  }

  async size(key: string): Promise<number | undefined> {
    return this.objects.get(key)?.length
  }

  async delete(key: string): Promise<void> {
    this.objects.delete(key)
  }
}

const authorityKey = newAuthorityKey()
export const imageDigest = `sha256:${'1'.repeat(64)}`
const log = createLog('test', 'silent')

export interface WorkerParts {
  cluster: FakeCluster
  records: SandboxRecords
  store?: ResultStore
  /** Of the gateway of a worker before this one. */
  port?: number
  hasImage?: (digest: string) => boolean
  clock?: Clock
}

/** The executor of pods as one worker has it: with its gateway, and nothing else of a worker. */
export async function startWorker({ cluster, records, store = new MemoryResults(), ...parts }: WorkerParts) {
  const { port = 0, hasImage = (digest) => digest === imageDigest, clock = systemClock } = parts
  const authority = new GatewayAuthority(authorityKey)
  const sessions = new PodSessions(clock)
  const watch = new PodWatch({ client: cluster, namespace: fakeNamespace, executor: 'exec', log })
  const gateway = await Gateway.start({
    ...{ records, sessions, store, authority, clock, log },
    tokens: new PodTokens({
      readKeys: async () => cluster.jwks,
      namespace: fakeNamespace,
      clock: systemClock,
    }),
    hasJobEnded: (id) => watch.hasJobEnded(podName(id)),
    listen: { address: '127.0.0.1', port },
  })
  const settings: PodSettings = {
    executor: 'exec',
    collectorImage: `registry.example.org/collector@sha256:${'c'.repeat(64)}`,
    boundary: { kind: 'user_namespace' },
    gateway: { address: '127.0.0.1', port: gateway.port, authority: authority.certificate },
    canaryPort: 1,
    resolvers: [],
  }
  watch.start()
  const images = new ClusterImages(async (digest) =>
    hasImage(digest) ? `registry/images@${digest}` : undefined,
  )
  const executor = new KubernetesExecutor({
    ...{ client: cluster, namespace: fakeNamespace, settings, records, sessions, watch, store, images },
    ...{ platform: new FakeExecutor(() => ({})), slots: 16, clock },
  })
  return {
    executor,
    gateway,
    sessions,
    watch,
    store,
    sweep: () => sweepPods({ client: cluster, namespace: fakeNamespace, records, sessions, watch, clock }),
    stop: async () => {
      sessions.close()
      await Promise.all([gateway.stop(), watch.stop()])
    },
  }
}
