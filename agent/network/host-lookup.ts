import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'

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
