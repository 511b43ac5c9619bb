import { runFilesMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { RunFileRequest } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { ownRunsOf } from '../../../access/own-runs.ts'
import type { Principal } from '../../../access/principal.ts'
import { CodedError } from '../../../base/errors/coded-error.ts'
import { invalid, problemOf, type ValidationProblem } from '../../../base/errors/validation-error.ts'
import type { Database, Trx } from '../../../db/database.ts'
import { type FindRunDeps, requireReadableRun } from '../../lookup/readable-run.ts'
import { findRunById } from '../../model/run-store.ts'
import { pinArtifact } from '../../results/artifact-store.ts'
import type { LockedPart, PartLock, RunName } from '../run-part.ts'
import { pinInputFile, pinTakenFile } from './input-file-store.ts'
import { findRunFiles, insertRunFiles, type NewRunFile } from './run-file-store.ts'
import { requireName } from './upload-input-file.ts'

/*
 * How a run takes files. Before the transaction that makes the run, permission is checked. In it, each file is locked, so
 * that nothing deletes it, and compared once more; the rows of the run name it from then on, and the sweeps leave what a
 * live run takes.
 */

interface WantedFile {
  loc: (string | number)[]
  /** Undefined where there is none any more. */
  hold: (trx: Trx) => Promise<NewRunFile | undefined>
}

/**
 * The files that a submission names, if the caller may read them. Throws the standard 422 array for wrong names, 404
 * `input_file_not_found` with the locations, and on locking 422 `input_files_too_large`.
 */
export async function wantedFiles(
  deps: FindRunDeps,
  principal: Principal,
  { chatroomId, files }: { chatroomId: string; files: readonly RunFileRequest[] },
): Promise<PartLock> {
  const sources = checked(files)
  const wanted = await Promise.all(
    sources.map(async (source, at): Promise<WantedFile> => {
      const loc = ['body', 'files', at, source.kind === 'file' ? 'file_id' : 'artifact']
      if (source.kind === 'file')
        return { loc, hold: (trx) => pinFile(trx, principal, { chatroomId, ...source }) }
      const isReadable = await mayRead(deps, principal, source.runId)
      return {
        loc,
        hold: async (trx) => (isReadable ? pinResult(trx, principal.companyId, source) : undefined),
      }
    }),
  )
  return async (trx) => {
    const held: NewRunFile[] = []
    const missing: ValidationProblem[] = []
    for (const { loc, hold } of wanted) {
      const file = await hold(trx)
      if (file) held.push(file)
      else missing.push(problemOf(loc, { type: 'not_found', words: 'names no file that this run can take' }))
    }
    if (missing.length > 0) throw new CodedError('input_file_not_found', { errors: missing })
    const bytes = held.reduce((sum, { byte_size }) => sum + byte_size, 0)
    if (bytes > runFilesMaxBytes) throw new CodedError('input_files_too_large', { limit: runFilesMaxBytes })
    return lockedFiles(held)
  }
}

/** The files that an earlier run took, for a run that replays it; undefined for none. Locking throws `retry_input_unavailable`. */
export async function filesOfRun(db: Database, run: RunName): Promise<PartLock | undefined> {
  const rows = await findRunFiles(db, run.company_id, [run.id])
  if (rows.length === 0) return undefined
  return async (trx) => {
    for (const { company_id: companyId, file_id, source_run_id, artifact_id } of rows) {
      const held =
        file_id === null
          ? await pinArtifact(trx, { companyId, runId: source_run_id ?? '', artifact: artifact_id ?? '' })
          : await pinTakenFile(trx, { companyId, id: file_id })
      if (!held) {
        const message = 'A file of the earlier run is no longer available.'
        throw new CodedError('retry_input_unavailable', { message })
      }
    }
    return lockedFiles(rows)
  }
}

const lockedFiles = (files: readonly NewRunFile[]): LockedPart => ({
  keep: (trx, run) => insertRunFiles(trx, run, files),
})

type Source = { name: string } & (
  | { kind: 'file'; fileId: string }
  | { kind: 'artifact'; runId: string; artifact: string }
)

/** Checks that the schema cannot make: each file has one source, and no two have one name. */
function checked(files: readonly RunFileRequest[]): Source[] {
  const names = new Set<string>()
  return files.map(({ name, file_id: fileId, run_id: runId, artifact }, at) => {
    const loc = ['body', 'files', at]
    requireName(name, [...loc, 'name'])
    if (names.has(name)) throw invalid([...loc, 'name'], 'duplicate', 'is the name of an earlier file')
    names.add(name)
    if (fileId !== undefined && runId === undefined && artifact === undefined)
      return { kind: 'file', name, fileId }
    if (fileId === undefined && runId !== undefined && artifact !== undefined)
      return { kind: 'artifact', name, runId, artifact }
    throw invalid(loc, 'mismatch', 'must have either file_id, or run_id and artifact')
  })
}

async function mayRead(deps: FindRunDeps, principal: Principal, runId: string): Promise<boolean> {
  const run = await findRunById(deps.db, { id: runId, company_id: principal.companyId })
  if (!run) return false
  try {
    await requireReadableRun(deps, principal, 'run.read_result', { chatroomId: run.chatroom_id, runId })
    return true
  } catch (error) {
    if (error instanceof CodedError && error.code === 'not_found') return false
    throw error
  }
}

async function pinFile(
  trx: Trx,
  principal: Principal,
  { chatroomId, fileId, name }: { chatroomId: string; fileId: string; name: string },
): Promise<NewRunFile | undefined> {
  const apiKeyId = ownRunsOf(principal, 'file.read')
  const row = await pinInputFile(trx, { companyId: principal.companyId, chatroomId, id: fileId, apiKeyId })
  if (!row) return undefined
  const { byte_size, digest } = row
  return { name, byte_size, digest, file_id: fileId, source_run_id: null, artifact_id: null }
}

async function pinResult(
  trx: Trx,
  companyId: string,
  { name, runId, artifact }: { name: string; runId: string; artifact: string },
): Promise<NewRunFile | undefined> {
  const row = await pinArtifact(trx, { companyId, runId, artifact })
  if (!row) return undefined
  const { id, byte_size, digest } = row
  return { name, byte_size, digest, file_id: null, source_run_id: runId, artifact_id: id }
}
