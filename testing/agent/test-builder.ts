import { execFile } from 'node:child_process'
import { access, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestAgent } from './test-agent.ts'

/**
 * Made by install/test-builder.sh; read-only. The folder is named for the Debian release of the builder, so that checkouts with
 * another builder can be tested on the same machine.
 */
export const preparedAgent = '/var/lib/sandbox-jobs-test/trixie/agent'

/** Gives a test agent the real builder and base images, as hard links to the shared ones. */
export async function linkBuilder({ dataDir }: TestAgent): Promise<void> {
  await access(join(preparedAgent, 'builder/rootfs')).catch(() => {
    throw new Error(`the builder is missing in ${preparedAgent}: install/test-builder.sh makes it`)
  })
  const trees = [join(preparedAgent, 'builder'), join(preparedAgent, 'base-images')]
  await promisify(execFile)('cp', ['--archive', '--link', ...trees, join(dataDir, 'agent')])
}

/** Makes the agent's builder trust a certificate authority, as one of its system. The shared builder stays as it is. */
export async function trustInBuilder({ dataDir }: TestAgent, authority: string): Promise<void> {
  const folder = join(dataDir, 'agent/builder/rootfs/etc/ssl/certs')
  const { stdout } = await promisify(execFile)('openssl', ['x509', '-hash', '-noout', '-in', authority])
  const pem = await readFile(authority)
  // The file is a link to that of the shared builder.
  await rm(join(folder, 'ca-certificates.crt'))
  for (const name of ['ca-certificates.crt', `${stdout.trim()}.0`]) await writeFile(join(folder, name), pem)
}
