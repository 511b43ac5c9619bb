import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { TestAgent } from '../test-agent.ts'

/** Python with the tests that its makers have written for it, and what Node stands on. */
export const everydayPackages = ['libpython3.11-testsuite', 'libstdc++6', 'python3']

/**
 * Where the image of everyday programs is kept from one run of the tests to the next: Debian 12 with those packages and
 * this very Node as one flat tar, named for what is in it (server/testing/write-everyday-image.ts).
 */
export async function everydayImage(): Promise<string> {
  const hash = createHash('sha256').update(everydayPackages.join())
  hash.update(await readFile(process.execPath))
  return `/var/lib/sandbox-jobs-test/everyday-${hash.digest('hex').slice(0, 16)}.tar`
}

/** Puts that image on a test's agent; returns its digest. */
export async function installEverydayImage(agent: TestAgent): Promise<string> {
  const path = await everydayImage()
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer)
  const digest = `sha256:${hash.digest('hex')}`
  await agent.client.installImage(digest, createReadStream(path))
  return digest
}
