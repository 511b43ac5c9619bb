import { sessionFilesMax, sessionNameMaxBytes, sessionPathMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { sessionDir } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import type { RunSessionRequest } from '@sandbox-jobs/contract/resources/sessions/session.ts'
import type { SandboxPort } from '../../../../agent/port/sandboxes.ts'
import { CodedError } from '../../../base/errors/coded-error.ts'
import { knownContents } from '../../../sessions/runs/known-contents.ts'
import { lockSessionForRun, requireNotInUse, takeHeldSession } from '../../../sessions/runs/lock-session.ts'
import type { RunSessions } from '../../../sessions/runs/run-sessions.ts'
import { savedSessionCtes } from '../../../sessions/runs/saved-session-statement.ts'
import type { ObjectStorage } from '../../../storage/port.ts'
import { isOutcome, type PartLock, type RunPart } from '../run-part.ts'
import { sessionBlocks, sessionOf } from './session-blocks.ts'
import { changesSession, folderRefusalOf, leftByRefusal } from './session-refusal.ts'
import { findSessionIds, setSession } from './session-run-store.ts'
import { type SessionRow, sessionColumns } from './session-statement.ts'

interface SessionTools {
  storage: ObjectStorage
  executor: SandboxPort
  /** Absent: no run with a session can start. */
  sessions?: RunSessions | undefined
  storageReservations: { reserve: Parameters<RunSessions['save']>[1] }
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
  collect: async ({ executor, sessions, storageReservations }, { id: runId, companyId, sandboxId }, exit) => {
    if (!sessions || !changesSession(exit)) return undefined
    const refusal = folderRefusalOf(exit)
    if (refusal) return leftByRefusal(refusal)
    const left = { runId, companyId, sandboxId, open: () => executor.folder(sandboxId) }
    const saved = await sessions.save(left, (company, bytes) => storageReservations.reserve(company, bytes))
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
