import { createHash } from 'node:crypto'
import type { ArchiveSource } from '../builds/archive/archive.ts'
import type { BundleFormat } from '../builds/archive/bundle-entries.ts'
import { ObjectMissing, type ObjectStorage } from '../storage/port.ts'
import { BundleRefused, countBundleFiles, readBundle } from '../tasks/bundle-archive.ts'
import { bundleTar } from './bundle-tar.ts'
import { failed, type RunOutcome } from './run-outcome.ts'

/** The bundle of a run's version, as it is stored. */
export interface RunBundle {
  storage_key: string
  archive_format: BundleFormat
  byte_size: number
  digest: string
}

/**
 * Reads a stored bundle to its end, so that a sandbox is started only for one that is whole and keeps the rules of today.
 * Answers how the run ends instead, if it does; throws what the store throws, so that the caller tries again.
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

/** The bundle's files as blocks of the tar that fills the workspace. */
export const bundleBlocks = (storage: ObjectStorage, bundle: RunBundle): AsyncIterable<Buffer> =>
  bundleTar(readBundle(sourceOf(storage, bundle), bundle.archive_format))

const sourceOf = (storage: ObjectStorage, bundle: RunBundle): ArchiveSource => ({
  byteSize: bundle.byte_size,
  open: (range) => storage.get(bundle.storage_key, range),
})

async function digestOf(storage: ObjectStorage, bundle: RunBundle): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of await storage.get(bundle.storage_key)) hash.update(bytes as Buffer)
  return `sha256:${hash.digest('hex')}`
}
