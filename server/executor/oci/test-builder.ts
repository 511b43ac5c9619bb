import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestAgent } from './test-agent.ts'

/** Made by install/test-builder.sh, and only ever read. */
const kept = '/var/lib/sandbox-jobs-test/agent'

/** Gives a test's agent the real builder and base images, as links to what all tests share. */
export async function lendBuilder({ dataDir }: TestAgent): Promise<void> {
  await access(join(kept, 'builder/rootfs')).catch(() => {
    throw new Error(`the builder is missing in ${kept}: install/test-builder.sh makes it`)
  })
  const trees = [join(kept, 'builder'), join(kept, 'base-images')]
  await promisify(execFile)('cp', ['--archive', '--link', ...trees, join(dataDir, 'agent')])
}
