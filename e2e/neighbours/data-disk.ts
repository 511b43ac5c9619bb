import { execFile } from 'node:child_process'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { mountFile } from '../crash/faults/small-disks.ts'
import type { HostSetup } from '../main-job/service.ts'

const sizeMiB = 2048

/** A data folder whose objects are on a disk that one company could fill. */
export const smallDataDisk: HostSetup = {
  async prepare(dataDir) {
    const folder = join(dataDir, 'objects')
    await mkdir(folder, { recursive: true })
    await mountFile(`${folder}.disk`, folder, sizeMiB)
    await chmod(folder, 0o755)
  },
  async cleanUp(dataDir) {
    await promisify(execFile)('umount', ['--lazy', join(dataDir, 'objects')])
  },
}
