import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const imageName = 'bench-busybox:latest'

/** A tar with only a static busybox as `/bin/busybox`, for engines that import a tar as an image. */
export async function busyboxTar(folder: string): Promise<string> {
  const root = join(folder, 'image')
  await mkdir(join(root, 'bin'), { recursive: true })
  await copyFile('/bin/busybox', join(root, 'bin/busybox'))
  await chmod(join(root, 'bin/busybox'), 0o755)
  const tar = join(folder, 'image.tar')
  await run('tar', ['-c', '-f', tar, '-C', root, '.'])
  return tar
}
