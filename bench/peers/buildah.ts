import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Launcher } from '../harness/sandbox/launcher.ts'
import { ensureProgram } from './debian-packages.ts'

const buildah = '/usr/bin/buildah'

/**
 * Debian's buildah, which is also in the builder of the service, with separate storage: builds the context in
 * `folder`.
 */
export async function buildahBuild(parts: {
  launcher: string
  folder: string
  context: string
}): Promise<Launcher> {
  await ensureProgram(buildah, ['buildah'])
  const { launcher, folder, context } = parts
  await mkdir(folder, { recursive: true })
  const storage = [
    '--root',
    join(folder, 'storage'),
    '--runroot',
    join(folder, 'run'),
    '--storage-driver',
    'overlay',
  ]
  return new Launcher({
    launcher,
    command: [buildah, ...storage, 'bud', '--isolation', 'chroot', '--layers', '-t', 'bench', context],
    errors: join(folder, 'errors'),
  })
}
