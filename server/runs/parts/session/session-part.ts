import { sessionFilesMax, sessionNameMaxBytes, sessionPathMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { sessionDir, workspaceDir } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import type { RunSessionRequest } from '@sandbox-jobs/contract/resources/sessions/session.ts'
import type { ResultPort } from '../../../../agent/port/results.ts'
import { CodedError } from '../../../base/errors/coded-error.ts'
import { lockSessionForRun, requireNotInUse, takeHeldSession } from '../../../sessions/runs/lock-session.ts'
import type { RunSessions } from '../../../sessions/runs/run-sessions.ts'
import { savedSessionCtes } from '../../../sessions/runs/saved-session-statement.ts'
import { knownContents, sessionEntries } from '../../../sessions/runs/session-content.ts'
import type { Tree } from '../../../sessions/trees/tree.ts'
import { ObjectMissing, type ObjectStorage } from '../../../storage/port.ts'
import type { ClaimedRun } from '../../model/claimed-run.ts'
import { failed, type RunOutcome } from '../../model/run-outcome.ts'
import { entryBlocks } from '../entry-blocks.ts'
import { isOutcome, type PartLock, type RunPart } from '../run-part.ts'
import { changesSession, folderRefusalOf, leftByRefusal } from './session-refusal.ts'
import { findSessionIds, type SessionRow, sessionColumns, setSession } from './session-run-store.ts'

interface SessionTools {
  storage: ObjectStorage
  executor: ResultPort
  /** Absent: no run with a session can start. */
  sessions?: RunSessions | undefined
}

/** The session whose files the run gets and alone changes. */
export const sessionPart: RunPart<SessionRow, SessionTools, { session_id: string | null }> = {
  name: 'session',
  ask: ({ session }) => session && { described: session, want: async () => locking(session) },
  askAgain: async (db, { id, company_id }) => {
    const session_id = (await findSessionIds(db, company_id, [id])).get(id)
    return session_id === undefined ? undefined : lockingAgain({ session_id })
  },
  columns: sessionColumns,
  prepare: async ({ storage, sessions }, job, run) => {
    const session = await sessionOf({ sessions }, job, run)
    if (!session || isOutcome(session)) return session
    return {
      blocks: (modifiedAt) => sessionBlocks(storage, session, modifiedAt),
      known: knownContents(session.tree),
      folder: {
        path: sessionDir,
        maxFiles: sessionFilesMax,
        maxBytes: session.sizeLimitBytes,
        maxPathBytes: sessionPathMaxBytes,
        maxNameBytes: sessionNameMaxBytes,
      },
    }
  },
  collect: async ({ executor, sessions }, { id: runId, companyId, sandboxId }, exit) => {
    if (!sessions || !changesSession(exit)) return undefined
    const refusal = folderRefusalOf(exit)
    if (refusal) return leftByRefusal(refusal)
    const left = { runId, companyId, sandboxId, open: () => executor.folder(sandboxId) }
    const saved = await sessions.save(left)
    if (!saved) return undefined
    return 'rule' in saved ? leftByRefusal(saved) : { finish: () => savedSessionCtes(saved) }
  },
  // Bytes that the session no longer has.
  release: async ({ sessions }, { companyId }) => sessions?.removeUnused(companyId),
  show: async (db, companyId, runIds) => {
    const ids = await findSessionIds(db, companyId, runIds)
    return (runId) => ({ session_id: ids.get(runId) ?? null })
  },
}

const locking =
  (session: RunSessionRequest): PartLock =>
  async (trx, { principal, chatroomId, resourceProfile }) => {
    const held = await lockSessionForRun(trx, principal, { chatroomId, session, resourceProfile })
    return {
      waits: held.waits,
      requireFree: () => requireNotInUse(held),
      keep: async (within, run) => {
        await takeHeldSession(within, run, held)
        await setSession(within, run, held)
      },
    }
  }

/** For a run that replays an earlier one. */
const lockingAgain =
  (session: RunSessionRequest): PartLock =>
  (trx, run) =>
    locking(session)(trx, run).catch(unavailable)

/** A session that the submitter cannot have as the earlier run did is an input that is gone. */
function unavailable(error: unknown): never {
  if (!(error instanceof CodedError && error.code.startsWith('session_'))) throw error
  const message = 'The session of the earlier run is no longer available to you.'
  throw new CodedError('retry_input_unavailable', { message })
}

/** The session that a run starts with. */
interface PreparedSession {
  companyId: string
  tree: Tree
  sizeLimitBytes: number
}

/**
 * The files of the run's session, compared with their digests, so that a sandbox starts only if all are as they were stored. An outcome
 * where the run ends; undefined for a run without a session. Throws the errors of the object store, so that the caller retries.
 */
async function sessionOf(
  { sessions }: { sessions?: RunSessions | undefined },
  job: SessionRow,
  { companyId }: ClaimedRun,
): Promise<PreparedSession | RunOutcome | undefined> {
  if (job.session_id === null) return undefined
  if (!job.session || !sessions) return failed('storage_lost', { detail: 'session_missing' })
  const tree = await sessions.files(companyId, job.session.tree_id)
  try {
    if (!(await sessions.areUndamaged(companyId, tree)))
      return failed('storage_lost', { detail: 'session_damaged' })
  } catch (error) {
    if (error instanceof ObjectMissing) return failed('storage_lost', { detail: 'session_missing' })
    throw error
  }
  return { companyId, tree, sizeLimitBytes: job.session.size_limit_bytes }
}

const folder = sessionDir.slice(workspaceDir.length + 1)

/** The files as blocks of the workspace tar; those whose tree has no time get `modifiedAt`. */
const sessionBlocks = (
  storage: ObjectStorage,
  { companyId, tree }: PreparedSession,
  modifiedAt: number,
): AsyncIterable<Buffer> => entryBlocks(sessionEntries(storage, { companyId, tree, folder }), modifiedAt)
