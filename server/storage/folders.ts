import { link, mkdir, open, opendir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { folderMode } from './incoming.ts'

/** Attempts to create a folder again that a removal deletes as empty. */
const placingsMax = 10

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** False for a folder that is not empty; true for a missing one. */
export const isRemoved = (folder: string): Promise<boolean> =>
  rmdir(folder).then(
    () => true,
    (error: unknown) => isMissing(error),
  )

export async function removeEmptyBelow(folder: string): Promise<number> {
  const entries = await opendir(folder).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  let removed = 0
  for await (const entry of entries ?? []) {
    if (!entry.isDirectory()) continue
    const path = join(folder, entry.name)
    removed += await removeEmptyBelow(path)
    if (await isRemoved(path)) removed += 1
  }
  return removed
}

/** Creates the folder and does the work, again if a removal deleted the empty folder in between. */
export async function inFolder(folder: string, work: () => Promise<void>): Promise<void> {
  for (let left = placingsMax; ; left -= 1) {
    try {
      await mkdir(folder, { recursive: true, mode: folderMode })
      return await work()
    } catch (error) {
      if (!isMissing(error) || left <= 1) throw error
    }
  }
}

/** Like `inFolder`, and durable over a power loss. */
export async function syncInFolder(folder: string, work: () => Promise<void>): Promise<void> {
  await inFolder(folder, work)
  await syncPath(folder)
}

/**
 * Gives a part that is not synced its final name, and returns the folder of the name; undefined if the name is in use. An
 * object that is present may be one that somebody relies on, and is replaced only by bytes that are on disk.
 */
export async function linkUnlessPresent(part: string, path: string): Promise<string | undefined> {
  try {
    await inFolder(dirname(path), () => link(part, path))
    return dirname(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined
    throw error
  }
}

/** Puts the bytes of a file or the names of a folder on the disk. */
export async function syncPath(path: string): Promise<void> {
  const opened = await open(path, 'r')
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}
