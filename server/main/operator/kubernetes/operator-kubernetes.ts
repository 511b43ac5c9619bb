import { isIP } from 'node:net'
import { KubernetesClient } from '../../../../kubernetes/api/client.ts'
import { checkCluster } from '../../../../kubernetes/check/check-cluster.ts'
import type { ClusterFinding } from '../../../../kubernetes/check/finding.ts'
import { namespaceManifests } from '../../../../kubernetes/check/namespace-manifests.ts'
import { hasCode } from '../../../base/errors/has-code.ts'
import { type Outcome, RequestRefused } from '../as-root.ts'
import { requested } from './requested.ts'

export interface ClusterRequest {
  server: string
  /** A folder with `ca.crt` and `token`, or `tls.crt` and `tls.key`. */
  credentials: string
  namespace: string
  image: string
  /** `ADDRESS:PORT`. */
  gateway: string
  runtimeClass?: string
}

export const checkKubernetes = (request: ClusterRequest): Outcome<ClusterFinding[]> =>
  requested(async () => {
    const { server, credentials, namespace, image, runtimeClass } = request
    if (!URL.parse(server)?.protocol.startsWith('https:'))
      throw new RequestRefused('--server is an address that begins with https://')
    if (!/^[\w.:/-]+@sha256:[0-9a-f]{64}$/.test(image))
      throw new RequestRefused('--image names an image by its digest: REGISTRY/NAME@sha256:DIGEST')
    const gateway = parseListener('--gateway', request.gateway)
    const client = new KubernetesClient({ server, folder: credentials })
    try {
      return await checkCluster(client, {
        namespace: namespaceOf(namespace),
        collectorImage: image,
        boundary:
          runtimeClass === undefined
            ? { kind: 'user_namespace' }
            : { kind: 'runtime_class', name: runtimeClass },
        gateway: { ...gateway, authority: '' },
        canaryPort: gateway.port + 1,
      })
    } catch (error) {
      if (hasCode(error, 'EADDRNOTAVAIL'))
        throw new RequestRefused(`${gateway.address} is no address of this machine, at which pods reach it`)
      if (hasCode(error, 'EADDRINUSE'))
        throw new RequestRefused(`something listens at ${request.gateway}, or at the port after it`)
      throw error
    } finally {
      client.close()
    }
  })

export const kubernetesManifests = (request: {
  namespace: string
  gateway: string
  resolvers: string[]
}): Outcome<ReturnType<typeof namespaceManifests>> =>
  requested(async () => {
    const { namespace, resolvers } = request
    for (const address of resolvers)
      if (isIP(address) === 0) throw new RequestRefused(`--resolver ${address} is no address`)
    const gateway = { ...parseListener('--gateway', request.gateway), authority: '' }
    return namespaceManifests(namespaceOf(namespace), { gateway, resolvers })
  })

function namespaceOf(text: string): string {
  if (/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text)) return text
  throw new RequestRefused('--namespace is a name of a namespace')
}

function parseListener(option: string, text: string): { address: string; port: number } {
  const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const address = bracketed ?? plain ?? ''
  const port = Number(digits)
  if (isIP(address) === 0 || port < 1 || port > 65_534)
    throw new RequestRefused(`${option} is an address and a port, such as 10.0.0.5:7443`)
  return { address, port }
}
