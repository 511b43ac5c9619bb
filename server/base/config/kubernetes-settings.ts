import { absolutePath, type Settings, text } from './setting.ts'

/** The cluster in which runs start. Without one they start on this machine. */
export interface KubernetesConfig {
  /** Address of its API server. */
  kubernetesServer: string | undefined
  /** Folder with what proves the worker to it. */
  kubernetesCredentials: string | undefined
  kubernetesNamespace: string
  /** Address and port of this machine at which pods reach the worker. */
  kubernetesGateway: string | undefined
  /** The image of the collector, by digest. */
  kubernetesCollector: string | undefined
  /** `REGISTRY/NAME` of the images that pods run. */
  kubernetesImages: string | undefined
  /** The runtime class that isolates pods; absent: a user namespace does. */
  kubernetesRuntimeClass: string | undefined
  /** Addresses of resolvers, separated by commas, for pods that may reach public addresses. */
  kubernetesResolvers: string | undefined
}

const name = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const address = String.raw`(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-fA-F:]+\])`
const resolver = String.raw`(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-fA-F:]+)`
const none = () => undefined

export const kubernetesSettings: Settings<KubernetesConfig> = {
  kubernetesServer: {
    env: 'SANDBOX_KUBERNETES_SERVER',
    description: 'address of the API server of the cluster in which runs start; default: on this machine',
    fallback: none,
    ...text(/^https:\/\/[^\s/]+$/, 'an https address without a path'),
  },
  kubernetesCredentials: {
    env: 'SANDBOX_KUBERNETES_CREDENTIALS',
    description: "folder with ca.crt and token, or tls.crt and tls.key, readable by the worker's user",
    fallback: none,
    ...absolutePath,
  },
  kubernetesNamespace: {
    env: 'SANDBOX_KUBERNETES_NAMESPACE',
    description: 'namespace of the pods of runs',
    fallback: () => 'runs',
    ...text(name, 'a name of a namespace'),
  },
  kubernetesGateway: {
    env: 'SANDBOX_KUBERNETES_GATEWAY',
    description:
      'address and port of this machine at which pods reach the worker; the port after it is the canary',
    fallback: none,
    ...text(new RegExp(`^${address}:[1-9]\\d{0,4}$`), 'an address and a port such as 10.0.0.5:7443'),
  },
  kubernetesCollector: {
    env: 'SANDBOX_KUBERNETES_COLLECTOR',
    description: 'image of the collector, by digest',
    fallback: none,
    ...text(/^[\w.:/-]+@sha256:[0-9a-f]{64}$/, 'an image by its digest: REGISTRY/NAME@sha256:DIGEST'),
  },
  kubernetesImages: {
    env: 'SANDBOX_KUBERNETES_IMAGES',
    description: 'REGISTRY/NAME to which images of versions are pushed, and from which pods pull them',
    fallback: none,
    ...text(/^[\w.:-]+(?:\/[\w.-]+)+$/, 'a registry and a name such as registry.example.org/sandbox/images'),
  },
  kubernetesRuntimeClass: {
    env: 'SANDBOX_KUBERNETES_RUNTIME_CLASS',
    description:
      'runtime class of gVisor or Kata Containers for every pod; default: a user namespace for each',
    fallback: none,
    ...text(name, 'a name of a runtime class'),
  },
  kubernetesResolvers: {
    env: 'SANDBOX_KUBERNETES_RESOLVERS',
    description: 'addresses of resolvers for pods that may reach public addresses, separated by commas',
    fallback: none,
    ...text(new RegExp(`^${resolver}(?:,${resolver})*$`), 'addresses separated by commas'),
  },
}
