import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { agentPaths } from '../../server/executor/oci/paths.ts'
import { prepareStore } from '../../server/operator/base-images.ts'
import { installToolchain } from '../../server/operator/toolchain.ts'

const run = promisify(execFile)

/** Where tests and benchmarks keep the builder from one run to the next: it takes most of a minute to make. */
const kept = '/var/lib/sandbox-jobs-test/agent/builder'

/**
 * Puts the builder into a data folder, before a service starts on it. The files are shared with the kept copy, which no
 * sandbox can write: they see it read-only.
 */
export async function placeBuilder(dataDir: string): Promise<void> {
  await mkdir(kept, { recursive: true, mode: 0o700 })
  await installToolchain(join(kept, 'rootfs'))
  const { builderRootfs, baseImages } = agentPaths(dataDir)
  const target = dirname(builderRootfs)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await run('cp', ['--archive', '--link', kept, target])
  await prepareStore(baseImages)
}
