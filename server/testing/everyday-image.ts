import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { access, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestAgent } from '../executor/oci/test-agent.ts'
import { makeDebian } from '../operator/debian.ts'
import { runCommand } from '../operator/run-command.ts'

/** Kept from one run of the tests to the next, as the builder is. */
const folder = '/var/lib/sandbox-jobs-test'
/** Python with the tests that its makers have written for it, and what Node stands on. */
const packages = ['libpython3.11-testsuite', 'libstdc++6', 'python3']

/** A root filesystem of Debian 12 with what people use every day, as one flat tar; also named for what is in it. */
export async function everydayImage(): Promise<string> {
  const hash = createHash('sha256').update(packages.join())
  hash.update(await readFile(process.execPath))
  return join(folder, `everyday-${hash.digest('hex').slice(0, 16)}.tar`)
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

/** Makes that tar from Debian packages and this very Node. Answers whether it was made now. Needs root and `mmdebstrap`. */
export async function makeEverydayImage(): Promise<boolean> {
  const target = await everydayImage()
  const isThere = await access(target).then(
    () => true,
    () => false,
  )
  if (isThere) return false
  const work = await mkdtemp(join(folder, 'everyday-'))
  try {
    const [root, tar] = [join(work, 'root'), join(work, 'image.tar')]
    await makeDebian(root, packages)
    await runCommand('install', ['-D', process.execPath, join(root, 'usr/local/bin/node')])
    await runCommand('tar', ['-C', root, '--numeric-owner', '--sort=name', '-cf', tar, '.'])
    await rename(tar, target)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return true
}
