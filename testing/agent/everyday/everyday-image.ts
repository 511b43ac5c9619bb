import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { TestAgent } from '../test-agent.ts'

/** Python with its own test suite, and the library that Node needs. */
export const everydayPackages = ['libpython3.11-testsuite', 'libstdc++6', 'python3']

/**
 * Path of the cached image of everyday programs: Debian 12 with those packages and this Node as one flat tar, named by a hash of
 * its contents (tools/write-everyday-image.ts).
 */
export async function everydayImage(): Promise<string> {
  const hash = createHash('sha256').update(everydayPackages.join())
  hash.update(await readFile(process.execPath))
  return `/var/lib/sandbox-jobs-test/everyday-${hash.digest('hex').slice(0, 16)}.tar`
}

/** Installs that image on a test agent; returns its digest. */
export async function installEverydayImage(agent: TestAgent): Promise<string> {
  const path = await everydayImage()
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer)
  const digest = `sha256:${hash.digest('hex')}`
  const open = async () => createReadStream(path)
  const stored = {
    mediaType: 'application/vnd.oci.image.layer.v1.tar',
    digest,
    byteSize: (await stat(path)).size,
  }
  await agent.client.installImage(digest, { openTar: open, openStored: open, stored })
  return digest
}
