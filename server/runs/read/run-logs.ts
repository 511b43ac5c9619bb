import { Readable } from 'node:stream'
import { logMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import {
  type NetworkLog,
  type RefusedConnection,
  refusalExplanations,
} from '@sandbox-jobs/contract/resources/runs/network-log.ts'
import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import type { Refusal } from '../../../agent/port/network-refusals.ts'
import { type CurrentPrincipal, downloaderOf, type Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { Following, PositionedEvent } from '../../live-logs/log-followers.ts'
import { type FindRunDeps, type RunAddress, requireReadableRun } from '../lookup/readable-run.ts'
import type { ShownRun } from '../model/run-row.ts'
import { findContent } from '../results/run-content-store.ts'
import { findRefusals } from '../results/run-refusal-store.ts'
import type { RunServices } from '../run-services.ts'

/** A part of a log, in bytes. `tail` counts from the end and takes precedence over the others. */
export interface LogRange {
  start?: number | undefined
  length?: number | undefined
  tail?: number | undefined
}

interface StoredRunLog {
  byteSize: number
  open(range: LogRange): Promise<Readable>
}

/** The stored log of a run, for callers that may read the run. Throws `not_found` if there is none, or not yet, and `downloads_busy`. */
export async function openRunLog(
  deps: RunServices,
  principal: Principal,
  { range, signal, ...address }: RunAddress & { range: LogRange; signal: AbortSignal },
): Promise<Readable> {
  const run = await requireReadableRun(deps, principal, 'run.read_log', address)
  const log = await findStoredLog(deps, run)
  if (!log) throw notFound()
  return deps.downloads.stream({ ...downloaderOf(principal), signal }, () => log.open(range))
}

export async function findStoredLog(
  { db, storage }: Pick<RunServices, 'db' | 'storage'>,
  run: Pick<ShownRun, 'id' | 'company_id'>,
): Promise<StoredRunLog | undefined> {
  const content = await findContent(db, run)
  if (content?.state !== 'active' || content.log_key === null || content.log_bytes === null) return undefined
  const { log_key: key, log_bytes: byteSize } = content
  return {
    byteSize,
    open: async ({ tail, start = 0, length = byteSize }) => {
      const first = tail === undefined ? start : Math.max(0, byteSize - tail)
      const end = tail === undefined ? Math.min(byteSize, first + length) : byteSize
      return first >= end ? Readable.from([]) : storage.get(key, { start: first, end: end - 1 })
    },
  }
}

/**
 * Streams the log of a run from byte `start` while it is written, for who may still read it, until `signal` fires. Throws `not_found`
 * before the first event.
 */
export function followRunLog(
  deps: FindRunDeps & Pick<RunServices, 'storage' | 'followers'>,
  current: CurrentPrincipal,
  { start, signal, ...address }: RunAddress & Following,
): Promise<AsyncGenerator<PositionedEvent>> {
  const read = async () => requireReadableRun(deps, await current(), 'run.read_log', address)
  const log = {
    read: async () => {
      const { id, company_id, state, terminal_at } = await read()
      return { id, company_id, state: state as RunState, hasEnded: terminal_at !== null }
    },
    stored: async () => findStoredLog(deps, await read()),
    maxBytes: logMaxBytes,
  }
  return deps.followers.follow(log, { start, signal })
}

/** The refused connections of a run, for callers that may read the run. */
export async function readNetworkLog(
  deps: FindRunDeps,
  principal: Principal,
  address: RunAddress,
): Promise<NetworkLog> {
  const run = await requireReadableRun(deps, principal, 'run.read_log', address)
  const refusals = await findRefusals(deps.db, run)
  const items = refusals?.entries.map(renderRefusal) ?? []
  return { run_id: run.id, items: [...items, ...capReached(run)], more: refusals?.more ?? 0 }
}

const renderRefusal = ({ count, firstAt, lastAt, ...refusal }: Refusal): RefusedConnection => ({
  ...refusal,
  explanation: refusalExplanations[refusal.reason],
  attempts: count,
  first_at: firstAt,
  last_at: lastAt,
})

/** For a run that exceeded its egress cap: a last entry that says so. */
function capReached({ error_code, terminal_at }: ShownRun): RefusedConnection[] {
  if (error_code !== 'egress_cap_exceeded' || terminal_at === null) return []
  const at = terminal_at.toISOString()
  const reason = 'cap_reached'
  const nowhere = { protocol: 'other', name: '', address: '', port: 0 } as const
  const explanation = refusalExplanations[reason]
  return [{ ...nowhere, reason, explanation, attempts: 1, first_at: at, last_at: at }]
}
