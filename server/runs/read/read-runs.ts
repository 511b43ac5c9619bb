import { chatroomPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import { profileOf } from '@sandbox-jobs/contract/resources/environments/profile.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { RunContent } from '@sandbox-jobs/contract/resources/runs/run-content.ts'
import type { RunUsage } from '@sandbox-jobs/contract/resources/runs/run-usage.ts'
import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { may, roomSubject } from '../../access/allow.ts'
import { ownRunsOf } from '../../access/own-runs.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { Cursor, Page, PageRequest } from '../../base/page.ts'
import { Rendered } from '../../base/rendered.ts'
import { type FindRunDeps, type RunAddress, requireReadableRun } from '../lookup/readable-run.ts'
import { findUsage, type ListedRun, listRuns } from '../model/run-store.ts'
import { listRunsWithMetadata, type MetadataPair } from '../parts/metadata/run-metadata-store.ts'
import { cancelRun } from '../queue/cancel-run.ts'
import { queueWaits } from '../queue/run-waits.ts'
import { findContent, hasInput } from '../results/run-content-store.ts'
import type { RunServices } from '../run-services.ts'
import { renderRun } from './render-run.ts'
import { runOf } from './run-snapshot-store.ts'
import type { CachedSnapshot } from './run-snapshots.ts'

/** Renders a run. Throws `not_found`. */
export async function readRun(
  deps: FindRunDeps,
  principal: Principal,
  address: RunAddress,
): Promise<RunDetail> {
  const run = await requireReadableRun(deps, principal, 'run.read', address)
  return renderRun(run, await deps.runs.waitOf(run))
}

/** Renders a run that was read together with its caller. Throws `not_found`. */
export async function showSnapshot(
  deps: Pick<FindRunDeps, 'runs'>,
  principal: Principal,
  { chatroomId }: RunAddress,
  reading: CachedSnapshot,
): Promise<Rendered<RunDetail>> {
  const { department_id, room_manager } = reading.row
  const mayRead =
    department_id !== null &&
    may(principal, 'run.read', roomSubject(chatroomId, { department_id, room_manager }))
  const run = runOf(reading.row)
  if (!mayRead || !run) throw notFound()
  if (run.state === 'queued') return new Rendered(renderRun(run, await deps.runs.waitOf(run)))
  reading.shown ??= new Rendered(renderRun(run, undefined))
  return reading.shown
}

/** Requests the cancellation and renders the run afterwards. */
export async function cancelReadableRun(
  deps: FindRunDeps,
  principal: Principal,
  address: RunAddress,
): Promise<RunDetail> {
  const run = await requireReadableRun(deps, principal, 'run.cancel', address)
  await cancelRun(deps.db, run)
  return readRun(deps, principal, address)
}

export interface RunListQuery extends PageRequest {
  status?: RunState[] | undefined
  /** Only runs that the principal submitted. */
  own?: true
  /** Only runs with all of these, as `key=value`; not together with `own`. */
  metadata?: string[] | undefined
}

const listName = 'runs'

/** Newest first by (`queued_at`, `id`). */
export async function listRoomRuns(
  deps: Pick<RunServices, 'db' | 'directory' | 'policy' | 'pages'>,
  principal: Principal,
  chatroomId: string,
  query: RunListQuery,
): Promise<Page<RunDetail>> {
  const room = await deps.directory.requireRoom(principal, 'run.list', chatroomId)
  const list = `${listName}:${room.id}`
  const size = query.page_size ?? chatroomPageSizeDefault
  const filter = {
    companyId: principal.companyId,
    chatroomId: room.id,
    apiKeyId: ownRunsOf(principal, 'run.list'),
    submitter: query.own && { type: principal.principalType, id: principal.principalId },
    states: query.status,
    before: beforeOf(deps.pages.read(list, query.page_token)),
    limit: size + 1,
  }
  const [first, ...others] = (query.metadata ?? []).map(pairOf)
  const rows = await (first
    ? listRunsWithMetadata(deps.db, filter, [first, ...others])
    : listRuns(deps.db, filter))
  const waits = await queueWaits(deps.db, deps.policy, rows.slice(0, size))
  return deps.pages.page(list, rows, size, {
    item: (row: ListedRun) => renderRun(row, waits.get(row.id)),
    cursor: (row: ListedRun) => [row.queued_at_us, row.id],
  })
}

const pairOf = (text: string): MetadataPair => {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}

/** The last row of the previous page, from a page token. */
export function beforeOf(cursor: Cursor | undefined): { queuedAtUs: number; id: string } | undefined {
  const [queuedAtUs, id] = cursor ?? []
  return typeof queuedAtUs === 'number' && typeof id === 'string' ? { queuedAtUs, id } : undefined
}

/** Which contents of the run are stored, as flags (contract part 1, "Run"). */
export async function readRunContent(
  deps: FindRunDeps,
  principal: Principal,
  address: RunAddress,
): Promise<RunContent> {
  const run = await requireReadableRun(deps, principal, 'run.read', address)
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

const mib = 1024 * 1024

/** The resources that a run used, for callers that may read it. */
export async function readRunUsage(
  deps: FindRunDeps,
  principal: Principal,
  address: RunAddress,
): Promise<RunUsage> {
  const run = await requireReadableRun(deps, principal, 'run.read_log', address)
  const usage = await findUsage(deps.db, run)
  return {
    run_id: run.id,
    peak_memory_bytes: usage?.peak_memory_bytes ?? null,
    memory_limit_bytes: profileOf(run.resource_profile).provider_memory_mib * mib,
    cpu_ms: usage?.cpu_ms ?? null,
    ingress_bytes: run.measured_ingress_bytes,
    egress_bytes: run.measured_egress_bytes,
    started_at: usage?.started_at?.toISOString() ?? null,
    terminal_at: run.terminal_at?.toISOString() ?? null,
  }
}
