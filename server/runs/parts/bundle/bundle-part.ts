import type { ArchiveSource } from '../../../../reader/formats/archive.ts'
import { fileTime } from '../../../../reader/formats/file-time.ts'
import { sha256OfAll } from '../../../base/sha256.ts'
import { ObjectMissing, type ObjectStorage } from '../../../storage/port.ts'
import { BundleRefused, countBundleFiles, readBundle } from '../../../tasks/files/bundle-archive.ts'
import { failed, type RunOutcome } from '../../model/run-outcome.ts'
import { entryBlocks } from '../entry-blocks.ts'
import type { RunPart } from '../run-part.ts'
import { type BundleRow, bundleColumns, type RunBundle } from './bundle-statement.ts'

/** The files of the run's task version. */
export const bundlePart: RunPart<BundleRow, { storage: ObjectStorage }> = {
  name: 'bundle',
  columns: bundleColumns,
  prepare: async ({ storage }, { bundle }) =>
    bundle
      ? ((await checkRunBundle(storage, bundle)) ?? { blocks: () => bundleBlocks(storage, bundle) })
      : undefined,
}

/**
 * Reads a stored bundle to its end, so that a sandbox starts only if the bundle is complete and satisfies the current
 * rules. Otherwise returns the outcome of the run. Throws the errors of the object store, so that the caller retries.
 */
async function checkRunBundle(storage: ObjectStorage, bundle: RunBundle): Promise<RunOutcome | undefined> {
  try {
    const digest = await digestOf(storage, bundle)
    if (digest !== bundle.digest) return failed('storage_lost', { detail: 'bundle_damaged' })
    await countBundleFiles(sourceOf(storage, bundle), bundle.archive_format)
    return undefined
  } catch (error) {
    if (error instanceof ObjectMissing) return failed('storage_lost', { detail: 'bundle_missing' })
    if (error instanceof BundleRefused) return failed('bundle_invalid', { detail: error.reason })
    throw error
  }
}

/** The bundle's files as blocks of the workspace tar. */
const bundleBlocks = (storage: ObjectStorage, bundle: RunBundle): AsyncIterable<Buffer> =>
  entryBlocks(readBundle(sourceOf(storage, bundle), bundle.archive_format), fileTime(bundle.uploaded_at))

const sourceOf = (storage: ObjectStorage, bundle: RunBundle): ArchiveSource => ({
  byteSize: bundle.byte_size,
  open: (range) => storage.get(bundle.storage_key, range),
})

const digestOf = async (storage: ObjectStorage, bundle: RunBundle): Promise<string> =>
  sha256OfAll(await storage.get(bundle.storage_key))
