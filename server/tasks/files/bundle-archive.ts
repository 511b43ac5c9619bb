import { bundleFilesMax, bundleUnpackedMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import {
  artifactsDir,
  driverPath,
  startupScriptPath,
  unpackingFile,
  workScriptPath,
  workspaceDir,
} from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import type { ArchiveEntry, ArchiveSource } from '../../../reader/formats/archive.ts'
import { ArchiveRefused } from '../../../reader/formats/archive-refused.ts'
import {
  type BundleFormat,
  type BundleRules,
  countBundleEntries,
  readBundleEntries,
} from '../../../reader/formats/bundle-entries.ts'
import type { ArchiveReaders } from '../../../reader/process/archive-readers.ts'

/*
 * The rules for a bundle's content (contract part 2, `bundle_path_forbidden`, and part 3, D5). A bundle is checked twice by
 * the same rules: at upload, by a reader process, so that its author gets an error; and before every run, where it must also
 * have the digest that the reader accepted, so that nothing stored under older rules reaches a workspace. Accepted files
 * are placed in the workspace and never replace the platform's files.
 */

/** Names at the root of the workspace that the platform reserves. */
const reservedPaths = [
  startupScriptPath,
  workScriptPath,
  driverPath,
  `${workspaceDir}/input.json`,
  `${workspaceDir}/output.json`,
  artifactsDir,
  unpackingFile,
]

const bundleRules: BundleRules = {
  bounds: {
    // Counts folders and files; the contract limits only files.
    maxEntries: 4 * bundleFilesMax,
    maxNamesBytes: 4 * 1024 ** 2,
    maxPathBytes: 1024,
    maxDepth: 32,
    maxUnpackedBytes: bundleUnpackedMaxBytes,
    maxRatio: 200,
    ratioFloorBytes: 32 * 1024 ** 2,
    timeoutMs: 2 * 60_000,
  },
  maxFiles: bundleFilesMax,
  reservedNames: reservedPaths.map((path) => path.slice(workspaceDir.length + 1)),
}

/** Rules of the reader about the target of a path. */
const forbiddenPaths: ReadonlySet<string> = new Set([
  'path_absolute',
  'path_drive',
  'path_backslash',
  'path_control_character',
  'path_escapes',
  'link_absolute',
  'link_escapes',
  'path_reserved',
])

/** The bundle is refused. The error contains no text of the bundle. */
export class BundleRefused extends Error {
  readonly code: 'bundle_path_forbidden' | 'bundle_invalid'
  /** The rule, `[a-z0-9_]+`. */
  readonly reason: string

  constructor(code: BundleRefused['code'], reason: string) {
    super(`bundle refused: ${reason}`)
    this.name = 'BundleRefused'
    this.code = code
    this.reason = reason
  }
}

/** The entries of a bundle that a reader process has accepted, as `readArchive` yields them. Throws `BundleRefused`. */
export async function* readBundle(
  source: ArchiveSource,
  format: BundleFormat,
): AsyncGenerator<ArchiveEntry, void> {
  try {
    yield* readBundleEntries(source, format, bundleRules)
  } catch (error) {
    throw asBundleRefused(error)
  }
}

/** Reads such a bundle to its end. Throws `BundleRefused`. */
export const countBundleFiles = (source: ArchiveSource, format: BundleFormat): Promise<number> =>
  countBundleEntries(readBundle(source, format))

/** Checks a new bundle in a reader process. Throws `BundleRefused`, or `ReaderDied` if the bundle is not the cause. */
export const inspectBundle = async (
  readers: Pick<ArchiveReaders, 'countBundleFiles'>,
  source: ArchiveSource,
  format: BundleFormat,
): Promise<number> => {
  try {
    return await readers.countBundleFiles(source, format, bundleRules)
  } catch (error) {
    throw asBundleRefused(error)
  }
}

function asBundleRefused(error: unknown): unknown {
  if (!(error instanceof ArchiveRefused)) return error
  const code = forbiddenPaths.has(error.slug) ? 'bundle_path_forbidden' : 'bundle_invalid'
  return new BundleRefused(code, error.slug)
}

/** The format of an archive by its first bytes; its name is ignored. Throws `BundleRefused`. */
export async function bundleFormatOf(source: ArchiveSource): Promise<BundleFormat> {
  const head: Buffer[] = []
  if (source.byteSize >= magicBytes) {
    for await (const bytes of await source.open({ start: 0, end: magicBytes - 1 })) head.push(bytes as Buffer)
  }
  const magic = Buffer.concat(head).toString('latin1')
  if (magic.startsWith('\x1f\x8b')) return 'tar.gz'
  if (magic.startsWith('PK')) return 'zip'
  throw new BundleRefused('bundle_invalid', 'archive_format')
}

const magicBytes = 4
