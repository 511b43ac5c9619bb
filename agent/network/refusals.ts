import type { Reach, ReachedTarget } from '../port/network-reach.ts'
import { type Refusal, type RefusalReason, type Refusals, refusalReasons } from '../port/network-refusals.ts'

/** Cloud metadata services, which often hand out credentials: they have a separate reason. */
const metadataAddresses = new Set([
  ...['169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  ...['fd00:ec2::254', 'fd20:ce::254'],
])

const entriesMax = 200

const protocols = new Map<string, Refusal['protocol']>([
  ['6', 'tcp'],
  ['17', 'udp'],
])

/** Records of the resolver for one link; `reached` has no entries where that is not recorded. */
export interface LinkRecords {
  refused: Refusals
  reached: Omit<Reach, 'isComplete'>
}

/** Parses the lines of native/resolver/refusals.c. Their content comes from tenants and strangers, so lines of any other form are dropped. */
export function parseRecords(lines: readonly string[]): LinkRecords {
  const [, refused = 0, reached = 0] = /^more (\d{1,10}) (\d{1,10})$/.exec(lines.at(-1) ?? '') ?? []
  return {
    refused: parseRefusals(lines, Number(refused)),
    reached: parseReach(lines, Number(reached)),
  }
}

function parseRefusals(lines: readonly string[], more: number): Refusals {
  // The resolver lists the newest first, and several may have the same millisecond.
  const entries = lines.toReversed().flatMap((line) => parseRefusal(line) ?? [])
  const oldestFirst = entries.toSorted((a, b) => a.firstAt.localeCompare(b.firstAt))
  return { entries: oldestFirst.slice(0, entriesMax), more }
}

const pattern =
  /^refused (\d{1,3}) (\d{1,3}) (-|[0-9a-f.:]{2,45}) (\d{1,5}) (\d{1,10}) (\d{1,14}) (\d{1,14}) (-|[a-z0-9_.\\-]{1,255})$/

function parseRefusal(line: string): Refusal | undefined {
  const [, number = '', protocol = '', rawAddress = '', port, count, first, last, name = ''] =
    pattern.exec(line) ?? []
  const reason = refusalReasons[Number(number) - 1]
  if (reason === undefined) return undefined
  const address = rawAddress === '-' ? '' : rawAddress
  return {
    reason: reasonOf(reason, address),
    protocol: name === '-' ? (protocols.get(protocol) ?? 'other') : 'dns',
    name: name === '-' ? '' : name,
    address,
    port: Number(port),
    count: Number(count),
    firstAt: new Date(Number(first)).toISOString(),
    lastAt: new Date(Number(last)).toISOString(),
  }
}

/** Reasons of what was reached (native/resolver/resolver.h). */
const connected = String(refusalReasons.length + 1)
const resolved = String(refusalReasons.length + 2)

function parseReach(lines: readonly string[], more: number): Omit<Reach, 'isComplete'> {
  // Oldest first: an address has the name that was resolved first.
  const records = lines.toReversed().map((line) => pattern.exec(line) ?? [])
  const names = new Map<string, string>()
  for (const [, reason, , address = '', , , , , name = ''] of records) {
    if (reason === resolved && !names.has(address)) names.set(address, name)
  }
  const entries = records.flatMap(([, reason, number = '', address = '', port]): ReachedTarget[] => {
    const protocol = protocols.get(number)
    if (reason !== connected || (protocol !== 'tcp' && protocol !== 'udp')) return []
    return [{ name: names.get(address) ?? '', address, protocol, port: Number(port) }]
  })
  return { entries: entries.slice(0, entriesMax), more }
}

const reasonOf = (reason: RefusalReason, address: string): RefusalReason =>
  reason === 'not_public_address' && metadataAddresses.has(address) ? 'metadata_address' : reason
