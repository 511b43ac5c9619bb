import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../base/errors/has-code.ts'
import { syncPath } from '../../storage/folders.ts'
import { BackupProblem } from './backup-problem.ts'

/*
 * A backup is a folder:
 *
 *   database/TABLE.rows.gz   one row a line, each a JSON string of the row's text
 *   cluster/base.tar.gz      only if the write-ahead log is archived: the cluster, from which its recovery starts
 *   keys/, objects/          copies of the folders of the data folder
 *   files.gz                 one line for each of all these files: [path, bytes, sha256]
 *                            of an encrypted backup all of these end with .age
 *   manifest.json            written last: without it the backup is incomplete
 *   INCOMPLETE               exists until the manifest is written
 */

export interface Manifest {
  format: 1
  release: string
  madeAt: string
  /** Applied migrations, in order. */
  migrations: string[]
  tables: { name: string; rows: number }[]
  sequences: Record<string, number>
  /** sha256 of `files.gz`. */
  filesSha256: string
  files: number
  bytes: number
  /** Public keys to which all files but `files.gz` are encrypted; undefined: they are not. */
  recipients?: readonly string[]
  /** Segment of the write-ahead log with which recovery of `cluster/` starts; undefined: there is no such folder. */
  walSegment?: string
  /** Where the objects of the service are, if not in the data folder: the backup has none of them. */
  objectsIn?: string
}

export const manifestName = 'manifest.json'
const incompleteName = 'INCOMPLETE'

/** Creates the folder of a backup. It must not exist, or be empty. */
export async function startBackup(target: string): Promise<void> {
  await mkdir(target, { recursive: true, mode: 0o700 })
  const found = await readdir(target)
  if (found.includes(incompleteName)) {
    throw new BackupProblem(
      `${target} contains a backup that was interrupted or is in progress: remove it first`,
    )
  }
  if (found.length > 0) throw new BackupProblem(`${target} is not empty: name a new folder`)
  await writeFile(join(target, incompleteName), 'This backup is incomplete.\n', { flush: true })
}

/** All other files must already be synced to disk. */
export async function completeBackup(target: string, manifest: Manifest): Promise<void> {
  const part = join(target, `${manifestName}.part`)
  await writeFile(part, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(part, join(target, manifestName))
  await syncPath(target)
  await rm(join(target, incompleteName))
}

/** Whether a folder has a complete backup. */
export const hasManifest = (source: string): Promise<boolean> =>
  lstat(join(source, manifestName)).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return false
      throw error
    },
  )

/** Makes a backup an incomplete one, before its files are removed. */
export const removeManifest = (source: string): Promise<void> =>
  rm(join(source, manifestName), { force: true })

export async function readManifest(source: string): Promise<Manifest> {
  const text = await readFile(join(source, manifestName), 'utf8').catch((error: unknown) => {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTDIR')) throw error
    throw new BackupProblem(
      `${source} contains no complete backup: it has no ${manifestName}, which is written last`,
    )
  })
  const manifest = parseManifest(text)
  if (manifest) return manifest
  throw new BackupProblem(`${join(source, manifestName)} is damaged, or of a later release`)
}

/** Undefined if the text is damaged, or of a later release. */
export function parseManifest(text: string): Manifest | undefined {
  try {
    const manifest = JSON.parse(text) as Manifest | null
    return manifest?.format === 1 ? manifest : undefined
  } catch {
    return undefined
  }
}
