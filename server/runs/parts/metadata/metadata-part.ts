import { metadataKeyMaxLength } from '@sandbox-jobs/contract/limits.ts'
import { metadataKeyPattern, type RunMetadata } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { invalid } from '../../../base/errors/validation-error.ts'
import type { PartLock, RunPart } from '../run-part.ts'
import { deleteMetadata, findMetadata, insertMetadata } from './run-metadata-store.ts'

/** Texts of the submitter about a run. The job does not get them. */
export const metadataPart: RunPart<object, object, { metadata: RunMetadata }> = {
  name: 'metadata',
  ask: ({ metadata = {} }) => {
    checkKeys(metadata)
    return Object.keys(metadata).length === 0
      ? undefined
      : { described: metadata, want: async () => keeping(metadata) }
  },
  askAgain: async (db, { id, company_id }) => {
    const entries = await findMetadata(db, company_id, [id])
    return entries.length === 0 ? undefined : keeping(metadataOf(entries))
  },
  show: async (db, companyId, runIds) => {
    const entries = Map.groupBy(await findMetadata(db, companyId, runIds), ({ run_id }) => run_id)
    return (runId) => ({ metadata: metadataOf(entries.get(runId) ?? []) })
  },
  retire: deleteMetadata,
}

const keeping =
  (metadata: RunMetadata): PartLock =>
  async () => ({ byteSize: bytesOf(metadata), keep: (trx, run) => insertMetadata(trx, run, metadata) })

const metadataOf = (entries: readonly { key: string; value: string }[]): RunMetadata =>
  Object.fromEntries(entries.map(({ key, value }) => [key, value]))

const bytesOf = (metadata: RunMetadata): number =>
  Object.entries(metadata).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0)

const keyPattern = new RegExp(metadataKeyPattern)

function checkKeys(metadata: RunMetadata): void {
  if (Object.keys(metadata).every((key) => keyPattern.test(key))) return
  const words = `may have keys of 1 to ${metadataKeyMaxLength} letters, digits, ".", "_" and "-" only, with a letter or digit first`
  throw invalid(['body', 'metadata'], 'key', words)
}
