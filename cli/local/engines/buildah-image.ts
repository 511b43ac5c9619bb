import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CliError, exitCodes } from '../../failure.ts'
import { buildFailed } from './container-engine.ts'
import type { ImageUser } from './crun-bundle.ts'
import type { ImageSource } from './engine.ts'
import { finish, logged, output } from './program.ts'

/** The mounted files of an image. */
export interface BuiltRoot {
  root: string
  env: string[]
  user: ImageUser
  remove(): Promise<void>
}

/** Builds the folder, or takes the image, and mounts it. Needs root: without it a mount is seen only by buildah. */
export async function buildRoot(
  source: Exclude<ImageSource, { kind: 'rootfs' }>,
  onLog: (bytes: Buffer) => void,
  signal: AbortSignal,
): Promise<BuiltRoot> {
  if (process.getuid?.() !== 0 || (await finish(['buildah', '--version'])).code !== 0) throw needsBuildah
  const image = source.kind === 'image' ? source.name : await build(source.path, onLog, signal)
  const container = await output(['buildah', 'from', image])
  const remove = async () => {
    await finish(['buildah', 'rm', container])
  }
  try {
    const root = await output(['buildah', 'mount', container])
    const { OCIv1 } = JSON.parse(await output(['buildah', 'inspect', container])) as {
      OCIv1: { config?: { Env?: string[]; User?: string } }
    }
    const config = OCIv1.config ?? {}
    return { root, env: config.Env ?? [], user: userOf(config.User ?? ''), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

async function build(folder: string, onLog: (bytes: Buffer) => void, signal: AbortSignal): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), 'sandbox-local-'))
  try {
    const idFile = join(work, 'id')
    const argv = ['buildah', 'build', '--layers', '--iidfile', idFile, folder]
    if ((await logged(argv, onLog, signal)) !== 0) throw buildFailed('buildah')
    return (await readFile(idFile, 'utf8')).trim()
  } finally {
    await rm(work, { recursive: true })
  }
}

const numericUser = /^(\d{1,5})(?::(\d{1,5}))?$/

/** A name runs as root; the service looks it up when it builds the image. */
function userOf(text: string): ImageUser {
  const [, uid, gid] = numericUser.exec(text) ?? []
  return { uid: Number(uid ?? 0), gid: Number(gid ?? 0) }
}

const needsBuildah = new CliError('crun alone has no image to run.', {
  hint: 'Install docker, podman, or buildah (with root), or name a folder with the files of an image: --rootfs DIR.',
  code: 'cli_local',
  exitCode: exitCodes.usage,
})
