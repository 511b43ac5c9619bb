import { execFile } from 'node:child_process'
import { chmod, mkdir, open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { HostSetup } from '../../main-job/service.ts'

const run = promisify(execFile)

/** Parts of a data folder that are separate file systems, with their sizes in MiB. */
const smallDisks = { postgres: 400, objects: 64, 'agent/sandboxes': 64 } as const
export type SmallDisk = keyof typeof smallDisks

/** Backed by a file: a tmpfs cannot be frozen. */
const fileBackedDisk: SmallDisk = 'objects'

const ballast = 'ballast'
const mib = 1024 * 1024

/** A data folder whose database, objects and sandboxes are on small file systems. */
export const smallDiskSetup: HostSetup = {
  async prepare(dataDir) {
    for (const [name, sizeMiB] of Object.entries(smallDisks)) {
      const folder = join(dataDir, name)
      await mkdir(folder, { recursive: true })
      if (name === fileBackedDisk) await mountFile(`${folder}.disk`, folder, sizeMiB)
      else await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'small-disk', folder])
      await chmod(folder, name.startsWith('agent') ? 0o700 : 0o755)
    }
  },
  async cleanUp(dataDir) {
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

/** Blocks all writes to the objects; the returned function unblocks them. */
export async function freezeObjects(dataDir: string): Promise<() => Promise<void>> {
  const folder = join(dataDir, fileBackedDisk)
  await run('fsfreeze', ['--freeze', folder])
  return async () => void (await run('fsfreeze', ['--unfreeze', folder]))
}

/** Fills the file system to its last block; the returned function frees it. */
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
