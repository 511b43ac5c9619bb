import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { agentPaths } from '../host/paths.ts'
import { builderIn } from './builder.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-test-builder-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const write = (path: string, content: unknown) => {
  const file = join(folder, 'agent', path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, JSON.stringify(content))
}
const read = () => builderIn(agentPaths(folder))

test('a stored base image is described by its entry of the catalogue', async () => {
  write('builder/rootfs/var/lib/dpkg/status', 'packages')
  expect((await read()).baseImages).toEqual([])
  write('base-images/overlay-images/images.json', [
    { names: ['localhost/curated/python:3.13'], digest: 'sha256:1' },
    { names: ['localhost/curated/old:1'], digest: 'sha256:2' },
    { digest: 'sha256:3' },
  ])
  write('base-images.json', [
    { name: 'curated/python:3.13', packages: ['python3'], suite: 'trixie', made_at: 'now', byte_size: 5 },
    { name: 'curated/gone:1', packages: [], made_at: 'then' },
  ])
  expect((await read()).baseImages).toEqual([
    {
      name: 'localhost/curated/python:3.13',
      digest: 'sha256:1',
      made: { debian: 'trixie', packages: ['python3'], madeAt: 'now', byteSize: 5 },
    },
    { name: 'localhost/curated/old:1', digest: 'sha256:2' },
  ])
})

test('without a builder the executor refuses', async () => {
  await expect(read()).rejects.toMatchObject({ slug: 'builder_missing' })
})

test('other packages are another toolchain', async () => {
  write('builder/rootfs/var/lib/dpkg/status', 'packages')
  const { toolchainDigest } = await read()
  expect((await read()).toolchainDigest).toBe(toolchainDigest)
  write('builder/rootfs/var/lib/dpkg/status', 'other packages')
  expect((await read()).toolchainDigest).not.toBe(toolchainDigest)
})
