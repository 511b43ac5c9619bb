import { chatroomPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import type { RunContent } from '@sandbox-jobs/contract/resources/run-content.ts'
import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { allEnded } from '../base/all-ended.ts'
import { notFound } from '../base/coded-error.ts'
import type { Cursor, Page, PageRequest, PageTokens } from '../base/page.ts'
import { Rendered } from '../base/rendered.ts'
import type { Database } from '../db/database.ts'
import { belongsTo, type Directory } from '../platform/directory.ts'
import { isRestricted, type Principal } from '../platform/principal.ts'
import { cancelRun } from './cancel-run.ts'
import type { QueuePolicy } from './queue-policy.ts'
import { renderRun } from './render-run.ts'
import { findContent, hasInput } from './run-content-store.ts'
import type { RunLookup } from './run-lookup.ts'
import { runOf } from './run-reading-store.ts'
import type { KeptReading } from './run-readings.ts'
import { type ListedRun, listRuns, type ShownRun } from './run-store.ts'
import { queueWaits } from './run-waits.ts'

export interface ReadDeps {
  db: Database
  directory: Directory
  runs: RunLookup
  policy: QueuePolicy
  pages: PageTokens
}

export interface RunAddress {
  chatroomId: string
  runId: string
}

/** A restricted key sees the runs it submitted itself; undefined sets no bound. */
const ownKeyOf = (principal: Principal): string | undefined =>
  isRestricted(principal) ? principal.apiKey?.id : undefined

/**
 * The run, for whoever may read it: members and managers of its room (contract part 1, "Roles"); throws `not_found`.
 */
export async function requireReadableRun(
  deps: Pick<ReadDeps, 'directory' | 'runs'>,
  principal: Principal,
  address: RunAddress,
): Promise<ShownRun> {
  const { companyId } = principal
  const { chatroomId, runId: id } = address
  const [, run] = await allEnded([
    deps.directory.requireRoomMember(principal, chatroomId),
    deps.runs.find({ companyId, chatroomId, id, apiKeyId: ownKeyOf(principal) }),
  ])
  if (!run) throw notFound()
  return run
}

/** Shows a run. Throws `not_found`. */
export async function readRun(deps: ReadDeps, principal: Principal, address: RunAddress): Promise<RunDetail> {
  const run = await requireReadableRun(deps, principal, address)
  return renderRun(run, await deps.runs.waitOf(run))
}

/** The same of a run that was looked up together with who asks. */
export async function showReading(
  deps: Pick<ReadDeps, 'runs'>,
  principal: Principal,
  { chatroomId }: RunAddress,
  reading: KeptReading,
): Promise<Rendered<RunDetail>> {
  const { department_id, room_manager } = reading.row
  const inRoom = department_id !== null && belongsTo(principal, chatroomId, { department_id, room_manager })
  const run = runOf(reading.row)
  if (!inRoom || !run) throw notFound()
  if (run.state === 'queued') return new Rendered(renderRun(run, await deps.runs.waitOf(run)))
  reading.shown ??= new Rendered(renderRun(run, undefined))
  return reading.shown
}

/** Cancels and shows the run as it stands then. */
export async function cancelReadableRun(
  deps: ReadDeps,
  principal: Principal,
  address: RunAddress,
): Promise<RunDetail> {
  const run = await requireReadableRun(deps, principal, address)
  await cancelRun(deps.db, run)
  return readRun(deps, principal, address)
}

export interface RunListQuery extends PageRequest {
  status?: RunState[] | undefined
}

const listName = 'runs'

/** Newest first by (`queued_at`, `id`). */
export async function listRoomRuns(
  deps: ReadDeps,
  principal: Principal,
  chatroomId: string,
  query: RunListQuery,
): Promise<Page<RunDetail>> {
  const room = await deps.directory.requireRoomMember(principal, chatroomId)
  const list = `${listName}:${room.id}`
  const size = query.page_size ?? chatroomPageSizeDefault
  const rows = await listRuns(deps.db, {
    companyId: principal.companyId,
    chatroomId: room.id,
    apiKeyId: ownKeyOf(principal),
    states: query.status,
    before: beforeOf(deps.pages.read(list, query.page_token)),
    limit: size + 1,
  })
  const waits = await queueWaits(deps.db, deps.policy, rows.slice(0, size))
  return deps.pages.page(list, rows, size, {
    item: (row: ListedRun) => renderRun(row, waits.get(row.id)),
    cursor: (row: ListedRun) => [row.queued_at_us, row.id],
  })
}

/** What a page token of runs says: the last row shown. */
export function beforeOf(cursor: Cursor | undefined): { queuedAtUs: number; id: string } | undefined {
  const [queuedAtUs, id] = cursor ?? []
  return typeof queuedAtUs === 'number' && typeof id === 'string' ? { queuedAtUs, id } : undefined
}

/** What the run holds, as flags (contract part 1, "Run"). */
export async function readRunContent(
  deps: Pick<ReadDeps, 'db' | 'directory' | 'runs'>,
  principal: Principal,
  address: RunAddress,
): Promise<RunContent> {
  const run = await requireReadableRun(deps, principal, address)
  const content = await findContent(deps.db, run)
  return {
    run_id: run.id,
    company_id: run.company_id,
    state: (content?.state ?? 'missing') as RunContent['state'],
    input_digest: run.input_digest,
    has_input: await hasInput(deps.db, run),
    has_output: typeof content?.output_key === 'string',
    has_log: typeof content?.log_key === 'string',
    has_artifact_bundle: typeof content?.bundle_key === 'string',
  }
}
