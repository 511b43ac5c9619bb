import { execFile } from 'node:child_process'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestAgent } from './test-agent.ts'

/** Made by install/test-builder.sh; read-only. */
const kept = '/var/lib/sandbox-jobs-test/agent'

/** Gives a test agent the real builder and base images, as hard links to the shared ones. */
export async function linkBuilder({ dataDir }: TestAgent): Promise<void> {
  await access(join(kept, 'builder/rootfs')).catch(() => {
    throw new Error(`the builder is missing in ${kept}: install/test-builder.sh makes it`)
  })
  const trees = [join(kept, 'builder'), join(kept, 'base-images')]
  await promisify(execFile)('cp', ['--archive', '--link', ...trees, join(dataDir, 'agent')])
}
