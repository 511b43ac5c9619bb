import { inputsDir, workspaceDir } from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import type { RunFile } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { ArchiveEntry } from '../../../../reader/formats/archive.ts'
import { fileTime, unknownTime } from '../../../../reader/formats/file-time.ts'
import { sha256OfAll } from '../../../base/sha256.ts'
import { ObjectMissing, type ObjectStorage } from '../../../storage/port.ts'
import { failed, type RunOutcome } from '../../model/run-outcome.ts'
import { entryBlocks } from '../entry-blocks.ts'
import type { RunPart } from '../run-part.ts'
import {
  deleteRunFiles,
  type FilesRow,
  filesColumns,
  findRunFiles,
  type RunFileRow,
  type StoredRunFile,
} from './run-file-store.ts'
import { filesOfRun, wantedFiles } from './take-files.ts'

/** Files that the submitter uploaded, and artifacts of other runs. */
export const filesPart: RunPart<FilesRow, { storage: ObjectStorage }, { files: RunFile[] }> = {
  name: 'files',
  ask: ({ files = [] }) =>
    files.length === 0
      ? undefined
      : {
          described: files,
          want: (deps, { principal, chatroomId }) => wantedFiles(deps, principal, { chatroomId, files }),
        },
  askAgain: filesOfRun,
  columns: filesColumns,
  prepare: async ({ storage }, { files }) =>
    files.length === 0
      ? undefined
      : ((await checkRunFiles(storage, files)) ?? {
          blocks: (modifiedAt) => fileBlocks(storage, files, modifiedAt),
        }),
  show: async (db, companyId, runIds) => {
    const files = Map.groupBy(await findRunFiles(db, companyId, runIds), ({ run_id }) => run_id)
    return (runId) => ({ files: (files.get(runId) ?? []).map(renderFile) })
  },
  retire: deleteRunFiles,
}

const renderFile = (row: RunFileRow): RunFile => ({
  name: row.name,
  byte_size: row.byte_size,
  digest: row.digest,
  file_id: row.file_id,
  run_id: row.source_run_id,
  artifact_id: row.artifact_id,
})

/**
 * Reads the files to their ends, so that a sandbox starts only with what was submitted. Otherwise returns the outcome of the
 * run. Throws the errors of the object store, so that the caller retries.
 */
async function checkRunFiles(
  storage: ObjectStorage,
  files: readonly StoredRunFile[],
): Promise<RunOutcome | undefined> {
  for (const file of files) {
    if (file.key === null) return failed('input_file_unavailable', { detail: 'deleted' })
    try {
      if ((await sha256OfAll(partOf(storage, file))) !== file.digest)
        return failed('storage_lost', { detail: 'input_file_damaged' })
    } catch (error) {
      if (error instanceof ObjectMissing) return failed('storage_lost', { detail: 'input_file_missing' })
      throw error
    }
  }
  return undefined
}

const folder = inputsDir.slice(workspaceDir.length + 1)

/** The files as blocks of the workspace tar, their folder with the time `modifiedAt`; nothing if there are none. */
const fileBlocks = (
  storage: ObjectStorage,
  files: readonly StoredRunFile[],
  modifiedAt: number,
): AsyncIterable<Buffer> => entryBlocks(entriesOf(storage, files), modifiedAt)

/** The folder is listed again behind its files, to be closed to writers then: a job that is not root could not fill it. */
async function* entriesOf(
  storage: ObjectStorage,
  files: readonly StoredRunFile[],
): AsyncGenerator<ArchiveEntry, void> {
  if (files.length === 0) return
  yield folderOf(0o755)
  for (const file of files) {
    yield {
      path: `${folder}/${file.name}`,
      kind: 'file',
      mode: 0o444,
      byteSize: file.byte_size,
      modifiedAt: fileTime(file.stored_at ?? unknownTime),
      body: partOf(storage, file),
    }
  }
  yield folderOf(0o555)
}

const folderOf = (mode: number): ArchiveEntry => ({ path: folder, kind: 'directory', mode, byteSize: 0 })

async function* partOf(
  storage: ObjectStorage,
  { key, start, byte_size: byteSize }: StoredRunFile,
): AsyncGenerator<Buffer, void> {
  if (byteSize === 0) return
  const range = { start, end: start + byteSize - 1 }
  for await (const bytes of await storage.get(key ?? '', range)) yield bytes as Buffer
}
