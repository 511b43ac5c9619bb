import type { BuildNetwork } from '@sandbox-jobs/contract/resources/builds/build-network.ts'
import type { ReachedTarget } from '../../executor/port/network-reach.ts'
import type { SandboxExit } from '../../executor/port/sandbox-exit.ts'

const entriesMax = 200

/** What the sandboxes of a build reached together; undefined if none had a network. */
export function buildReach(exits: readonly SandboxExit[]): BuildNetwork | undefined {
  const records = exits.flatMap(({ network }) =>
    network.reached ? [{ ...network, ...network.reached }] : [],
  )
  if (records.length === 0) return undefined
  const entries = new Map<string, ReachedTarget>()
  for (const entry of records.flatMap((record) => record.entries)) {
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

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
