import type { PlatformPort } from '../../../agent/port/platform.ts'
import { KubernetesClient } from '../../../kubernetes/api/client.ts'
import { listenFor } from '../../../kubernetes/check/canary-listeners.ts'
import { ClusterImages } from '../../../kubernetes/executor/cluster-images.ts'
import { KubernetesExecutor } from '../../../kubernetes/executor/kubernetes-executor.ts'
import { sweepPods } from '../../../kubernetes/executor/lost-pods.ts'
import { PodWatch } from '../../../kubernetes/executor/pod-watch.ts'
import { Gateway } from '../../../kubernetes/gateway/gateway.ts'
import { PodSessions } from '../../../kubernetes/gateway/pod-session.ts'
import { PodTokens } from '../../../kubernetes/gateway/pod-tokens.ts'
import { podName } from '../../../kubernetes/pod/run-pod.ts'
import { systemClock } from '../../base/clock.ts'
import type { Config } from '../../base/config/config.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { findComposed } from '../../environments/versions/composed-image-store.ts'
import { StoredRecords } from '../../operations/kubernetes/sandbox-records-store.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { startSweep } from '../../work/sweep.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import { openAuthority } from './gateway-key.ts'

export interface ClusterParts {
  config: Config
  db: Database
  storage: ObjectStorage
  /** The platform's parts that versions are built with. */
  platform: PlatformPort
  log: Log
}

export interface Cluster {
  executor: KubernetesExecutor
  stop(): Promise<void>
}

const sweepEveryMs = 10_000

/** Listens for the pods of a cluster, and follows them. */
export async function startCluster(
  cluster: ClusterSettings,
  { config, db, storage: store, platform, log }: ClusterParts,
): Promise<Cluster> {
  const { namespace, executorId, access, gateway: address, repository } = cluster
  const client = new KubernetesClient(access)
  const records = new StoredRecords(db, executorId)
  const sessions = new PodSessions(systemClock)
  const watch = new PodWatch({ client, namespace, executor: executorId, log })
  const authority = openAuthority(config)
  const parts = { client, namespace, records, sessions, watch, store, clock: systemClock, log }
  const gateway = await Gateway.start({
    ...{ ...parts, authority, listen: address },
    tokens: new PodTokens({ ...parts, readKeys: () => client.read('/openid/v1/jwks') }),
    hasJobEnded: (id) => watch.hasJobEnded(podName(id)),
  })
  // A pod that reaches it is without network policies, and does not ask for a start.
  const canary = await listenFor(address.address, [address.port + 1])
  watch.start()
  const sweep = startSweep({
    name: 'pods of runs',
    everyMs: sweepEveryMs,
    runOnce: () => sweepPods(parts),
    log,
  })
  const images = new ClusterImages(async (installedDigest) => {
    const runnerDigest = (await platform.runner()).layerDigest
    const digest = await findComposed(db, { installedDigest, runnerDigest, repository })
    return digest && `${repository}@${digest}`
  })
  const executor = new KubernetesExecutor({
    ...{ ...parts, images, platform, slots: config.runSlots },
    settings: {
      ...{ executor: executorId, collectorImage: cluster.collectorImage, boundary: cluster.boundary },
      ...{ resolvers: cluster.resolvers, canaryPort: address.port + 1 },
      gateway: { ...address, authority: authority.certificate },
    },
  })
  return {
    executor,
    stop: async () => {
      sessions.close()
      await Promise.all([sweep.stop(), watch.stop(), gateway.stop(), canary.close()])
      client.close()
    },
  }
}
