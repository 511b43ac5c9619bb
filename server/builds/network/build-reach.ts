import type { BuildNetwork } from '@sandbox-jobs/contract/resources/builds/build-network.ts'
import type { ReachedTarget } from '../../../agent/port/network-reach.ts'
import type { MirrorUse } from '../../../agent/port/package-mirror.ts'
import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'

const entriesMax = 200

/** Destinations that the sandboxes of a build reached together; undefined if none had a network. */
export function buildReach(exits: readonly SandboxExit[]): BuildNetwork | undefined {
  const records = exits.flatMap(({ network }) =>
    network.reached ? [{ ...network, ...network.reached }] : [],
  )
  if (records.length === 0) return undefined
  const entries = new Map<string, ReachedTarget>()
  const mirrors = records.flatMap((record) => record.mirrors ?? []).map(asTarget)
  for (const entry of [...mirrors, ...records.flatMap((record) => record.entries)]) {
    const key = `${entry.protocol} ${entry.address} ${entry.port}`
    if (!entries.has(key)) entries.set(key, entry)
  }
  const reached = [...entries.values()]
  return {
    ingress_bytes: sum(records.map(({ ingressBytes }) => ingressBytes)),
    egress_bytes: sum(records.map(({ egressBytes }) => egressBytes)),
    reached: reached.slice(0, entriesMax),
    more: sum(records.map(({ more }) => more)) + Math.max(0, reached.length - entriesMax),
    complete: records.every(({ isComplete }) => isComplete),
  }
}

/** A package mirror, named as no host is. */
const asTarget = ({ name, address, port }: MirrorUse): ReachedTarget => ({
  name: `mirror:${name}`,
  address,
  protocol: 'tcp',
  port,
})

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
