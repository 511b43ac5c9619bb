import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { RunSessionRequest } from '@sandbox-jobs/contract/resources/sessions/session.ts'
import { Rendered } from '../../base/rendered.ts'
import type { Database } from '../../db/database.ts'
import { holdSession, requireTurn } from '../../sessions/runs/hold-session.ts'
import { insertRunFiles } from '../parts/files/run-file-store.ts'
import type { HoldFiles } from '../parts/files/take-files.ts'
import { insertMetadata } from '../parts/metadata/run-metadata-store.ts'
import type { QueuePolicy } from '../queue/queue-policy.ts'
import { giveSession } from './give-session.ts'
import { earlierResponse, responseBeyondRow } from './idempotency.ts'
import { responseColumns } from './idempotency-store.ts'
import { LockedQueues } from './locked-queues.ts'
import { insertRuns } from './queued-run-store.ts'
import type { QueueRequest, SubmissionQueue } from './submission-queue.ts'

/** What a run has beside its input. */
export interface RunExtras {
  holdFiles: HoldFiles | undefined
  metadata: Readonly<Record<string, string>>
  /** The session of the submitter that the run takes. */
  session?: RunSessionRequest | undefined
}

export const noExtras: RunExtras = { holdFiles: undefined, metadata: {} }

const bytesOf = (metadata: RunExtras['metadata']): number =>
  Object.entries(metadata).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0)

/**
 * Queues the run once per key. One with files, metadata or a session is queued in a transaction of its own: its files and its
 * session are held before the queues are locked, so that nobody waits in the queue for them. Throws what
 * `SubmissionQueue.enqueue`, the files and the session throw.
 */
export async function queueRun(
  deps: { db: Database; queue: SubmissionQueue; policy: QueuePolicy },
  request: QueueRequest,
  { holdFiles, metadata, session: wanted }: RunExtras = noExtras,
): Promise<Rendered<RunDetail>> {
  const hasMetadata = Object.keys(metadata).length > 0
  if (!holdFiles && !hasMetadata && !wanted) return deps.queue.enqueue(request)
  const { intent, run } = request
  return deps.db.transaction().execute(async (trx) => {
    // Asked before, because the files of a repeated request may be gone, and again when no equal request can come between.
    const given = await earlierResponse<RunDetail>(trx, intent)
    if (given) return new Rendered(given)
    const files = (await holdFiles?.(trx)) ?? []
    const session = wanted && (await holdSession(trx, run.principal, { ...run, session: wanted }))
    const queue = await LockedQueues.open(trx, deps.policy, [run])
    const earlier = await earlierResponse<RunDetail>(trx, intent)
    if (earlier) return new Rendered(earlier)
    requireTurn(session)
    const { row, shown, charge } = queue.enqueue({ ...run, extraBytes: bytesOf(metadata), session })
    const partial = responseBeyondRow(shown)
    const answers = responseColumns([{ intent, runId: row.id, partial }])
    await insertRuns(trx, [row], { answers, charges: charge ? [charge] : [] })
    if (files.length > 0) await insertRunFiles(trx, row, files)
    if (session) await giveSession(trx, row, session)
    if (hasMetadata) await insertMetadata(trx, row, metadata)
    return new Rendered(shown)
  })
}
