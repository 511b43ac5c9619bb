import type { ArchiveSource } from '../../../../reader/formats/archive.ts'
import type { BundleFormat } from '../../../../reader/formats/bundle-entries.ts'
import { fileTime } from '../../../../reader/formats/file-time.ts'
import { sha256OfAll } from '../../../base/sha256.ts'
import { ObjectMissing, type ObjectStorage } from '../../../storage/port.ts'
import { BundleRefused, countBundleFiles, readBundle } from '../../../tasks/files/bundle-archive.ts'
import { failed, type RunOutcome } from '../../model/run-outcome.ts'
import { bundleTar } from '../entry-blocks.ts'

/** The stored bundle of a run's version. */
export interface RunBundle {
  storage_key: string
  archive_format: BundleFormat
  byte_size: number
  digest: string
  /** Seconds since 1970. */
  uploaded_at: number
}

/**
 * Reads a stored bundle to its end, so that a sandbox starts only if the bundle is complete and satisfies the current
 * rules. Otherwise returns the outcome of the run. Throws the errors of the object store, so that the caller retries.
 */
export async function checkRunBundle(
  storage: ObjectStorage,
  bundle: RunBundle,
): Promise<RunOutcome | undefined> {
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
export const bundleBlocks = (storage: ObjectStorage, bundle: RunBundle): AsyncIterable<Buffer> =>
  bundleTar(readBundle(sourceOf(storage, bundle), bundle.archive_format), fileTime(bundle.uploaded_at))

const sourceOf = (storage: ObjectStorage, bundle: RunBundle): ArchiveSource => ({
  byteSize: bundle.byte_size,
  open: (range) => storage.get(bundle.storage_key, range),
})

const digestOf = async (storage: ObjectStorage, bundle: RunBundle): Promise<string> =>
  sha256OfAll(await storage.get(bundle.storage_key))
