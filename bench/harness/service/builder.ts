import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { agentPaths } from '../../../agent/host/paths.ts'
import { prepareStore } from '../../../server/operations/host/base-images.ts'
import { installToolchain } from '../../../server/operations/host/toolchain.ts'

const run = promisify(execFile)

/** Tests and benchmarks keep the builder here between runs: making it takes most of a minute. */
const cachedBuilder = '/var/lib/sandbox-jobs-test/trixie/agent/builder'

/**
 * Puts the builder into a data folder before a service starts on it. The files are hard links to the kept copy;
 * sandboxes see them read-only and cannot change it.
 */
export async function placeBuilder(dataDir: string): Promise<void> {
  await mkdir(cachedBuilder, { recursive: true, mode: 0o700 })
  await installToolchain(join(cachedBuilder, 'rootfs'))
  const { builderRootfs, baseImages } = agentPaths(dataDir)
  const target = dirname(builderRootfs)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await run('cp', ['--archive', '--link', cachedBuilder, target])
  await prepareStore(baseImages)
}
