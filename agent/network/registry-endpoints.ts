import { ExecutorRefused } from '../port/errors.ts'
import { lookUpHost } from './host-lookup.ts'
import type { RegistryEndpoints } from './rules.ts'

const httpsPort = 443

/** Resolves `host[:port]` with the host's resolvers. Only the operator configures it, so internal addresses are accepted. */
export async function registryEndpoints(registry: string): Promise<RegistryEndpoints> {
  const [host = '', port] = registry.split(':')
  const found = await lookUpHost(host)
  if (found.length === 0) throw new ExecutorRefused('registry_unknown', `the registry ${host} has no address`)
  const of = (family: number) => found.filter((one) => one.family === family).map(({ address }) => address)
  return { ip4: of(4), ip6: of(6), port: port === undefined ? httpsPort : Number(port) }
}
