import { createReadStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { isAbsolute, join, normalize } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { migrations } from '../../db/migrate.ts'
import { checkRecord, SchemaProblem } from '../../db/recorded-migrations.ts'
import { BackupProblem } from './backup-problem.ts'
import { type ListedFile, readFileList } from './file-list.ts'
import { type Manifest, readManifest } from './manifest.ts'
import { DigestedStream, nowhere } from './streams.ts'

const toldMost = 20

export interface CheckedBackup {
  source: string
  manifest: Manifest
  files: ListedFile[]
}

/** Reads the whole backup once. Throws a `BackupProblem` that lists missing and damaged files. */
export async function checkBackup(
  source: string,
  say: (text: string) => void,
  signal?: AbortSignal,
): Promise<CheckedBackup> {
  const manifest = await readManifest(source)
  checkRelease(manifest)
  const files = await readFileList(source, manifest.filesSha256)
  if (!files) throw new BackupProblem('files.gz of the backup is missing or damaged')
  say(`reading ${files.length} files`)
  const problems: string[] = []
  for (const file of files) {
    const problem = await problemOf(source, file, signal)
    if (problem) problems.push(`${file.path} ${problem}`)
  }
  if (problems.length === 0) return { source, manifest, files }
  const more = problems.length > toldMost ? [`and ${problems.length - toldMost} more`] : []
  throw new BackupProblem('the backup is incomplete or damaged:', ...problems.slice(0, toldMost), ...more)
}

function checkRelease({ migrations: recorded, release }: Manifest): void {
  try {
    checkRecord(recorded, Object.keys(migrations))
  } catch (error) {
    if (!(error instanceof SchemaProblem)) throw error
    throw new BackupProblem(`the backup of release ${release} cannot be restored: ${error.message}`)
  }
}

async function problemOf(
  source: string,
  { path, byteSize, sha256 }: ListedFile,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (isAbsolute(path) || normalize(path) !== path || path.startsWith('..'))
    return 'is not a valid path in a backup'
  const full = join(source, path)
  const found = await lstat(full).catch(() => undefined)
  if (!found?.isFile()) return 'is missing'
  if (found.size !== byteSize) return `has ${found.size} bytes instead of ${byteSize}`
  const digested = new DigestedStream()
  await pipeline(createReadStream(full), digested, nowhere(), { signal })
  return digested.sha256 === sha256 ? undefined : 'was changed'
}
