import { sessionDir, workspaceDir } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import type { RunSessions } from '../../../sessions/runs/run-sessions.ts'
import { sessionEntries } from '../../../sessions/runs/session-content.ts'
import type { Tree } from '../../../sessions/trees/tree.ts'
import { ObjectMissing, type ObjectStorage } from '../../../storage/port.ts'
import type { ClaimedRun } from '../../model/claimed-run.ts'
import { failed, type RunOutcome } from '../../model/run-outcome.ts'
import { entryBlocks } from '../entry-blocks.ts'
import type { SessionRow } from './session-statement.ts'

/** The session that a run starts with. */
export interface PreparedSession {
  companyId: string
  tree: Tree
  sizeLimitBytes: number
}

/**
 * The files of the run's session, compared with their digests, so that a sandbox starts only if all are as they were stored. An outcome
 * where the run ends; undefined for a run without a session. Throws the errors of the object store, so that the caller retries.
 */
export async function sessionOf(
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
export const sessionBlocks = (
  storage: ObjectStorage,
  { companyId, tree }: PreparedSession,
  modifiedAt: number,
): AsyncIterable<Buffer> => entryBlocks(sessionEntries(storage, { companyId, tree, folder }), modifiedAt)
