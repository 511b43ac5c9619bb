import { lookup } from 'node:dns/promises'
import { ExecutorRefused } from '../../port.ts'
import type { RegistryEndpoints } from './rules.ts'

const httpsPort = 443

/** Where `host[:port]` is, by the resolvers of the host. Only the operator names it, so its addresses may be inner ones. */
export async function registryEndpoints(registry: string): Promise<RegistryEndpoints> {
  const [host = '', port] = registry.split(':')
  const found = await lookup(host, { all: true }).catch(() => {
    throw new ExecutorRefused('registry_unknown', `the registry ${host} has no address`)
  })
  const of = (family: number) => found.filter((one) => one.family === family).map(({ address }) => address)
  return { ip4: of(4), ip6: of(6), port: port === undefined ? httpsPort : Number(port) }
}
