import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chainDigest } from '../../server/base/chain-digest.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import { shellJob, TestAgent, tarOf } from '../../testing/agent/test-agent.ts'

/* Images of several layers: what a program sees of them, and what is removed when. */

let agent: TestAgent

beforeAll(async () => {
  agent = await TestAgent.start()
}, 60_000)
afterAll(() => agent.dispose(), 60_000)

type Entries = Parameters<typeof tarOf>[0]

async function above(lower: string, entries: Entries): Promise<string> {
  const tar = await tarOf(entries)
  const digest = chainDigest(lower, sha256Of(tar))
  await agent.client.installImage(digest, Readable.from([tar]), lower)
  return digest
}

const base: Entries = [
  [{ name: 'a/', type: 'directory', mode: 0o750 }],
  [{ name: 'a/kept' }, 'kept'],
  [{ name: 'a/changed' }, 'before'],
  [{ name: 'a/hidden' }, 'hidden'],
  [{ name: 'b/', type: 'directory' }],
  [{ name: 'b/file' }, 'of b'],
  [{ name: 'c', type: 'symlink', linkname: 'a' }],
]
const layer: Entries = [
  [{ name: 'a/', type: 'directory', mode: 0o700 }],
  [{ name: 'a/.wh.hidden' }, ''],
  [{ name: 'a/changed' }, 'after'],
  [{ name: '.wh.b' }, ''],
  [{ name: 'c/', type: 'directory' }],
  [{ name: 'c/new' }, 'new'],
]

test.each(['crun', 'runsc'] as const)(
  'on %s a program sees the layer above the image, without what the layer hides',
  async (runtime) => {
    const digest = await above(await agent.image(base), layer)
    const script = 'cd /; ls a c; [ -e b ] || echo no b; cat a/kept a/changed c/new; stat -c %a a'
    const { log, exit } = await agent.run(shellJob(digest, script, { runtime }))
    expect(exit.exitCode, log).toBe(0)
    expect(log.split(/\s+/).join(' ')).toBe('a: changed kept c: new no b keptafternew700 ')
  },
)

test('a program cannot change a layer, and makes hidden names anew', async () => {
  const digest = await above(await agent.image(base), layer)
  const script =
    'cd /; echo x >a/hidden 2>/dev/null || echo refused; mkdir b 2>/dev/null || echo refused; ls a'
  for (let time = 0; time < 2; time += 1) {
    const { log } = await agent.run(shellJob(digest, script))
    expect(log).not.toContain('refused')
    expect(log).toContain('hidden')
  }
})

test('an image that two install at once is unpacked once, and both have it', async () => {
  const tar = await tarOf([[{ name: 'twice' }, 'x'.repeat(100_000)]])
  const digest = sha256Of(tar)
  await Promise.all([1, 2, 3].map(() => agent.client.installImage(digest, Readable.from([tar]))))
  expect(await agent.client.hasImage(digest)).toBe(true)
})

test('an image that is missing cannot have a layer, and a layer needs the digest of both', async () => {
  const tar = await tarOf([[{ name: 'x' }, 'x']])
  const missing = sha256Of('missing')
  const install = (digest: string, lower: string) =>
    agent.client.installImage(digest, Readable.from([tar]), lower)
  await expect(install(chainDigest(missing, sha256Of(tar)), missing)).rejects.toMatchObject({
    slug: 'image_missing',
  })
  const lower = await agent.image(base)
  await expect(install(sha256Of(tar), lower)).rejects.toMatchObject({ slug: 'digest_mismatch' })
})

test('an image stays while another one lies above it, and goes with the last of them', async () => {
  const lower = await agent.image([[{ name: 'lower' }, 'of this test']])
  const one = await above(lower, [[{ name: 'one' }, '1']])
  const other = await above(lower, [[{ name: 'other' }, '2']])
  await expect(agent.client.removeImage(lower)).rejects.toMatchObject({ slug: 'image_in_use' })
  await agent.client.removeImage(one)
  expect(await agent.client.hasImage(lower)).toBe(true)
  await agent.client.removeImage(other)
  expect(await agent.client.hasImage(lower)).toBe(false)
})

test('the next agent knows which images lie above others, and a damaged folder hinders no removal', async () => {
  const lower = await agent.image([[{ name: 'lower' }, 'of the restart']])
  const upper = await above(lower, [[{ name: 'upper' }, '1']])
  const images = join(agent.dataDir, 'agent/images')
  await mkdir(join(images, 'd'.repeat(64), 'lower'), { recursive: true })
  await agent.end('SIGKILL')
  await agent.start()
  await expect(agent.client.removeImage(lower)).rejects.toMatchObject({ slug: 'image_in_use' })
  await agent.client.removeImage(upper)
  expect(await agent.client.hasImage(lower)).toBe(false)
})

test('more layers than the shim mounts are refused', async () => {
  let digest = await agent.image([[{ name: 'lowest' }, 'of this test']])
  digest = await above(digest, [[{ name: 'second' }, '2']])
  digest = await above(digest, [[{ name: 'third' }, '3']])
  const { log } = await agent.run(shellJob(digest, 'ls /lowest /second /third'))
  expect(log).toBe('/lowest\n/second\n/third\n')
  await expect(above(digest, [[{ name: 'fourth' }, '4']])).rejects.toMatchObject({ slug: 'image_invalid' })
})

test.each<[string, Entries]>([
  ['with content', [[{ name: '.wh.a' }, 'content']]],
  ['that is a folder', [[{ name: '.wh.a/', type: 'directory' }]]],
  ['of nothing', [[{ name: '.wh.' }, '']]],
  ['of the parent folder', [[{ name: 'a/.wh...' }, '']]],
  ['that is opaque', [[{ name: 'a/.wh..wh..opq' }, '']]],
  [
    'of a name of its layer',
    [
      [{ name: 'x' }, 'x'],
      [{ name: '.wh.x' }, ''],
    ],
  ],
  [
    'below which something lies',
    [
      [{ name: '.wh.a' }, ''],
      [{ name: 'a/x' }, 'x'],
    ],
  ],
])('a whiteout %s is refused, and nothing of the layer stays', async (_name, entries) => {
  const lower = await agent.image(base)
  await expect(above(lower, entries)).rejects.toMatchObject({ slug: 'image_invalid' })
  const names = await readdir(join(agent.dataDir, 'agent/images'))
  expect(names.filter((name) => name.startsWith('.'))).toEqual([])
})
