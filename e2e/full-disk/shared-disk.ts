import { execFile } from 'node:child_process'
import { chmod, mkdir, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { HostSetup } from '../main-job/service.ts'

const run = promisify(execFile)

/** Folders with tenants' data and the database: all on one disk, as on a small machine. */
const folders = ['postgres', 'objects', 'agent/sandboxes', 'agent/images']

const diskOf = (dataDir: string) => `${dataDir}.disk`

/** A data folder on a disk of `sizeMiB`, an ext4 in a file. */
export const sharedDisk = (sizeMiB: number): HostSetup => ({
  async prepare(dataDir) {
    const disk = diskOf(dataDir)
    await mkdir(disk)
    await run('mkfs.ext4', ['-q', '-m', '0', `${disk}.image`, `${sizeMiB}m`])
    await run('mount', ['-o', 'loop', `${disk}.image`, disk])
    for (const name of folders) {
      const from = join(disk, name.replace('/', '-'))
      const to = join(dataDir, name)
      await mkdir(from)
      await mkdir(to, { recursive: true })
      await run('mount', ['--bind', from, to])
      await chmod(to, name.startsWith('agent') ? 0o700 : 0o755)
    }
  },
  async cleanUp(dataDir) {
    const disk = diskOf(dataDir)
    for (const name of folders) await run('umount', ['--lazy', join(dataDir, name)])
    await run('umount', ['--lazy', disk])
    await rm(disk, { recursive: true })
    await rm(`${disk}.image`)
  },
})

/** Free bytes of that disk. */
export async function freeBytes(dataDir: string): Promise<number> {
  const { bavail, bsize } = await statfs(join(dataDir, 'objects'))
  return bavail * bsize
}
