import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rename, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyOut } from '../copy-files.ts'
import { nameOf, startOf } from '../schedule/found-backups.ts'
import { linesOf } from '../streams.ts'
import type { ArchiveBound } from './archive-bound.ts'
import type { ArchiveFolder } from './archive-folder.ts'

export interface ArchivedFiles {
  archive: ArchiveFolder
  dataDir: string
  bound: Pick<ArchiveBound, 'oldest' | 'take'>
  signal: AbortSignal
}

/** The time of a file on the disk is coarser than the clock. */
const overlapMs = 2_000
const before = (at: Date): Date => new Date(at.getTime() - overlapMs)
const roots = [
  { root: 'keys', as: 'keys' },
  { root: 'objects/objects', as: 'objects' },
]

/**
 * Archives the keys and objects that were written since the turn before. The oldest backup has those that were
 * there at its start. Without a backup no moment needs any.
 */
export async function archiveFiles(
  { archive, dataDir, bound, signal }: ArchivedFiles,
  now: Date,
): Promise<void> {
  if (!bound.oldest) return
  const start = startOf(bound.oldest.name)
  const since = await archive.filesSince()
  if (since === undefined || since < before(start)) await noteStart(archive, start)
  const name = await freeName(archive, now)
  const target = archive.freshFiles(name)
  let files = 0
  for (const { root, as } of roots) {
    for await (const path of changedBelow(join(dataDir, root), archive.since, signal)) {
      signal.throwIfAborted()
      const copied = await copyOut({
        root: join(dataDir, root),
        path,
        ...target,
        name: join(as, path),
        signal,
      })
      if (!copied) continue
      files += 1
      await bound.take(copied.byteSize)
    }
  }
  if (files > 0) {
    await promisify(execFile)('sync', ['--file-system', target.target])
    await archive.putFiles(name)
  }
  await noteStart(archive, now)
}

/** Names have a resolution of one second, and a clock that was set back repeats times. */
async function freeName(archive: ArchiveFolder, now: Date): Promise<string> {
  const taken = await archive.listFiles()
  let at = now
  while (taken.includes(nameOf(at))) at = new Date(at.getTime() + 1000)
  return nameOf(at)
}

async function noteStart({ path, since }: ArchiveFolder, start: Date): Promise<void> {
  const fresh = join(path, 'new/since')
  const at = before(start)
  await writeFile(fresh, '', { mode: 0o600 })
  await utimes(fresh, at, at)
  await rename(fresh, since)
}

/**
 * Paths of regular files that came or changed after the time of change of `since`. It follows no links. The owner of the folder chooses
 * the names, which may have line ends.
 */
async function* changedBelow(root: string, since: string, signal: AbortSignal): AsyncGenerator<string> {
  if (!existsSync(root)) return
  const args = [root, '-ignore_readdir_race', '-type', 'f', '-cnewer', since, '-printf', '%P\\0']
  const child = spawn('find', args, { stdio: ['ignore', 'pipe', 'ignore'], signal })
  const ended = once(child, 'close')
  ended.catch(() => undefined)
  try {
    yield* linesOf(child.stdout, '\0')
    const [code] = (await ended) as [number | null]
    if (code !== 0) throw new Error(`find ended with ${code} in ${root}`)
  } finally {
    child.kill('SIGKILL')
  }
}
