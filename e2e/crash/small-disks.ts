import { execFile } from 'node:child_process'
import { chmod, mkdir, open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Ground } from '../main-job/service.ts'

const run = promisify(execFile)

/** Parts of a data folder that can run full by themselves, each a file system of so many MiB. */
const smallDisks = { postgres: 400, objects: 64, 'agent/sandboxes': 64 } as const
export type SmallDisk = keyof typeof smallDisks

/** The one that lies in a file, as on a disk: a file system in memory cannot be frozen. */
const onDisk: SmallDisk = 'objects'

const ballast = 'ballast'
const mib = 1024 * 1024

/** A data folder whose database, objects and sandboxes lie on small file systems. */
export const smallGround: Ground = {
  async lay(dataDir) {
    for (const [name, sizeMiB] of Object.entries(smallDisks)) {
      const folder = join(dataDir, name)
      await mkdir(folder, { recursive: true })
      if (name === onDisk) await mountFile(`${folder}.disk`, folder, sizeMiB)
      else await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'small-disk', folder])
      await chmod(folder, name.startsWith('agent') ? 0o700 : 0o755)
    }
  },
  async clear(dataDir) {
    for (const name of Object.keys(smallDisks)) await run('umount', ['--lazy', join(dataDir, name)])
  },
}

/** Makes a file system in a file and mounts it. */
export async function mountFile(file: string, folder: string, sizeMiB: number): Promise<void> {
  await run('mkfs.ext4', ['-q', '-m', '0', file, `${sizeMiB}m`])
  await run('mount', ['-o', 'loop', file, folder])
  await rm(join(folder, 'lost+found'), { recursive: true })
}

/** True for the mounts of `smallGround`, as /proc/mounts has them. */
export const isSmallDisk = (line: string, dataDir: string): boolean =>
  Object.keys(smallDisks).some((name) => line.split(' ')[1] === join(dataDir, name))

/** Lets nothing be written to the objects, nor any write end; what is answered lets go again. */
export async function freezeObjects(dataDir: string): Promise<() => Promise<void>> {
  const folder = join(dataDir, onDisk)
  await run('fsfreeze', ['--freeze', folder])
  return async () => void (await run('fsfreeze', ['--unfreeze', folder]))
}

/** Fills the file system to its last block; what is answered frees it again. */
export async function fill(dataDir: string, disk: SmallDisk): Promise<() => Promise<void>> {
  const path = join(dataDir, disk, ballast)
  const file = await open(path, 'w')
  try {
    const { bavail, bsize } = await statfs(join(dataDir, disk))
    for (let left = bavail * bsize; left > 0; left -= mib) await file.write(Buffer.alloc(Math.min(left, mib)))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    await file.close()
  }
  return () => rm(path)
}
