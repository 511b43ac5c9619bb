import { bundleFilesMax, bundleUnpackedMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import {
  artifactsDir,
  driverPath,
  startupScriptPath,
  workScriptPath,
  workspaceDir,
} from '@sandbox-jobs/contract/resources/runtime-contract.ts'
import {
  type ArchiveBounds,
  type ArchiveEntry,
  type ArchiveSource,
  readArchive,
} from '../builds/archive/archive.ts'
import { ArchiveRefused } from '../builds/archive/archive-refused.ts'

/*
 * What a bundle may hold (contract part 2, `bundle_path_forbidden`, and part 3, D5). A bundle is read twice by the same
 * rules: when it is uploaded, so that its author hears of it, and before every run, so that nothing that got into the
 * store in another way, or under older rules, reaches a workspace. What the rules let through lies below the workspace
 * beside the platform's own files, and never in their place.
 */

export type BundleFormat = 'zip' | 'tar.gz'

const bundleBounds: ArchiveBounds = {
  // Folders as well as files; only files have a bound of the contract.
  maxEntries: 4 * bundleFilesMax,
  maxNamesBytes: 4 * 1024 ** 2,
  maxPathBytes: 1024,
  maxDepth: 32,
  maxUnpackedBytes: bundleUnpackedMaxBytes,
  maxRatio: 200,
  ratioFloorBytes: 32 * 1024 ** 2,
  timeoutMs: 2 * 60_000,
}

/** Names at the root of the workspace that are the platform's. */
const reservedNames: ReadonlySet<string> = new Set(
  [
    startupScriptPath,
    workScriptPath,
    driverPath,
    `${workspaceDir}/input.json`,
    `${workspaceDir}/output.json`,
    artifactsDir,
  ].map((path) => path.slice(workspaceDir.length + 1)),
)

/** Rules of the reader that are about where a path leads. */
const forbiddenPaths: ReadonlySet<string> = new Set([
  'path_absolute',
  'path_drive',
  'path_backslash',
  'path_control_character',
  'path_escapes',
  'link_absolute',
  'link_escapes',
])

/** The bundle is refused; holds no text of it. */
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

const invalidBundle = (reason: string) => new BundleRefused('bundle_invalid', reason)

/** The entries of a bundle, as `readArchive` gives them. Throws `BundleRefused`. */
export async function* readBundle(
  source: ArchiveSource,
  format: BundleFormat,
): AsyncGenerator<ArchiveEntry, void> {
  let files = 0
  try {
    for await (const entry of readArchive(source, format, bundleBounds)) {
      const [root = ''] = entry.path.split('/', 1)
      if (reservedNames.has(root)) throw new BundleRefused('bundle_path_forbidden', 'path_reserved')
      if (entry.kind !== 'directory') files += 1
      if (files > bundleFilesMax) throw invalidBundle('too_many_files')
      yield entry
    }
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error
    const code = forbiddenPaths.has(error.slug) ? 'bundle_path_forbidden' : 'bundle_invalid'
    throw new BundleRefused(code, error.slug)
  }
  if (files === 0) throw invalidBundle('no_files')
}

/** Reads a bundle to its end. Throws `BundleRefused`. */
export async function countBundleFiles(source: ArchiveSource, format: BundleFormat): Promise<number> {
  let files = 0
  for await (const entry of readBundle(source, format)) if (entry.kind !== 'directory') files += 1
  return files
}

/** What the first bytes say an archive is; its name says nothing. Throws `BundleRefused`. */
export async function bundleFormatOf(source: ArchiveSource): Promise<BundleFormat> {
  const head: Buffer[] = []
  if (source.byteSize >= magicBytes) {
    for await (const bytes of await source.open({ start: 0, end: magicBytes - 1 })) head.push(bytes as Buffer)
  }
  const magic = Buffer.concat(head).toString('latin1')
  if (magic.startsWith('\x1f\x8b')) return 'tar.gz'
  if (magic.startsWith('PK')) return 'zip'
  throw invalidBundle('archive_format')
}

const magicBytes = 4
