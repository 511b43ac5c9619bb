import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { ExecutorRefused } from '../port/errors.ts'
import type { RegistryEndpoints } from './rules.ts'

const pending = new Map<string, Promise<LookupAddress[]>>()

/**
 * Addresses of a host as this machine resolves it, `/etc/hosts` included; empty if it has none. While its name server is silent, a
 * lookup holds one of the few threads of the process for half a minute, so all callers for one host wait for the same lookup.
 */
export function lookUpHost(host: string): Promise<LookupAddress[]> {
  const known = pending.get(host)
  if (known) return known
  const found = lookup(host, { all: true })
    .catch(() => [])
    .finally(() => pending.delete(host))
  pending.set(host, found)
  return found
}

const httpsPort = 443

/** Resolves `host[:port]` with the host's resolvers. Only the operator configures it, so internal addresses are accepted. */
export async function registryEndpoints(registry: string): Promise<RegistryEndpoints> {
  const [host = '', port] = registry.split(':')
  const found = await lookUpHost(host)
  if (found.length === 0) throw new ExecutorRefused('registry_unknown', `the registry ${host} has no address`)
  const of = (family: number) => found.filter((one) => one.family === family).map(({ address }) => address)
  return { ip4: of(4), ip6: of(6), port: port === undefined ? httpsPort : Number(port) }
}
