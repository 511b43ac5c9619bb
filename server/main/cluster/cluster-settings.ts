import type { ClusterAccess } from '../../../kubernetes/api/cluster-access.ts'
import type { PodSettings } from '../../../kubernetes/pod/pod-settings.ts'
import type { KubernetesConfig } from '../../base/config/kubernetes-settings.ts'
import { sha256Of } from '../../base/sha256.ts'

/** The cluster in which runs start, as the operator set it up. */
export interface ClusterSettings extends Pick<PodSettings, 'collectorImage' | 'boundary' | 'resolvers'> {
  /** The same as long as server and namespace are: it knows which ids it started. */
  executorId: string
  access: ClusterAccess
  namespace: string
  gateway: { address: string; port: number }
  repository: string
}

/** Undefined where runs start on this machine. */
export function clusterSettings(config: KubernetesConfig): ClusterSettings | undefined {
  const { kubernetesServer: server, kubernetesNamespace: namespace } = config
  const { kubernetesCredentials: folder, kubernetesGateway: listen } = config
  const { kubernetesCollector: collectorImage, kubernetesImages: repository } = config
  const { kubernetesRuntimeClass: runtimeClass, kubernetesResolvers: resolvers } = config
  if (!server || !folder || !listen || !collectorImage || !repository) return undefined
  const end = listen.lastIndexOf(':')
  return {
    executorId: sha256Of(`kubernetes ${server} ${namespace}`).slice('sha256:'.length).slice(0, 32),
    access: { server, folder },
    namespace,
    gateway: { address: listen.slice(0, end).replaceAll(/[[\]]/g, ''), port: Number(listen.slice(end + 1)) },
    collectorImage,
    repository,
    boundary: runtimeClass ? { kind: 'runtime_class', name: runtimeClass } : { kind: 'user_namespace' },
    resolvers: resolvers?.split(',') ?? [],
  }
}
