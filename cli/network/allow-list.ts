import { isIP } from 'node:net'
import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'

/** Hosts that runs may reach: domains, `*.domain` for subdomains, addresses and ranges. */
export function allowListOf(entries: readonly string[]): EgressAllowList {
  const isRange = (entry: string) => entry.includes('/') || isIP(entry) !== 0
  return {
    domains: entries.filter((entry) => !isRange(entry)),
    cidrs: entries.filter(isRange).map(asRange),
  }
}

/** A single address becomes a range of one. */
const asRange = (entry: string): string =>
  isIP(entry) === 0 ? entry : `${entry}/${isIP(entry) === 4 ? 32 : 128}`
