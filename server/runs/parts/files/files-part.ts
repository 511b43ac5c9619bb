import type { RunFile } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { ObjectStorage } from '../../../storage/port.ts'
import type { RunPart } from '../run-part.ts'
import { checkRunFiles, fileBlocks } from './file-blocks.ts'
import { type FilesRow, filesColumns } from './files-statement.ts'
import { deleteRunFiles, findRunFiles, type RunFileRow } from './run-file-store.ts'
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
