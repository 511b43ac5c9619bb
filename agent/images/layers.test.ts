import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chainDigest, sha256Of } from '../../server/base/sha256.ts'
import { shellJob, TestAgent, tarOf } from '../../testing/agent/test-agent.ts'
import { layerOf } from '../../testing/image-layer.ts'

/* Images of several layers: what a program sees of them, and what is removed when. */

let agent: TestAgent

beforeAll(async () => {
  agent = await TestAgent.start()
})
afterAll(() => agent.dispose())

type Entries = Parameters<typeof tarOf>[0]

async function above(lower: string, entries: Entries): Promise<string> {
  const tar = await tarOf(entries)
  const digest = chainDigest(lower, sha256Of(tar))
  await agent.client.installImage(digest, layerOf(tar), lower)
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

const at = (seconds: number) => new Date(seconds * 1000)

test('folders and links have the times of the archive, whatever is made in them later', async () => {
  const digest = await above(
    await agent.image([
      [{ name: 'd/', type: 'directory', mtime: at(1_600_000_000) }],
      [{ name: 'd/sub/', type: 'directory', mode: 0o500, mtime: at(1_600_000_001) }],
      [{ name: 'd/sub/file', mtime: at(1_600_000_002) }, 'x'],
      [{ name: 'd/link', type: 'symlink', linkname: 'sub', mtime: at(1_600_000_003) }],
      [{ name: 'd/hard', type: 'link', linkname: 'd/sub/file' }],
      [{ name: 'up/', type: 'directory', mtime: at(1_600_000_004) }],
      [{ name: 'd/implied/deep/file', mtime: at(1_600_000_005) }, 'x'],
    ]),
    [
      [{ name: 'up/', type: 'directory', mtime: at(1_600_000_006) }],
      [{ name: 'up/.wh.none', mtime: at(0) }, ''],
    ],
  )
  const { log } = await agent.run(
    shellJob(digest, `cd /; stat -c '%n %Y' d d/sub d/sub/file d/link d/hard up`),
  )
  expect(log.trimEnd().split('\n')).toEqual([
    'd 1600000000',
    'd/sub 1600000001',
    'd/sub/file 1600000002',
    'd/link 1600000003',
    'd/hard 1600000002',
    'up 1600000006',
  ])
})

/** The tar with this field as the time of its first entry. */
function withTime(tar: Buffer, field: Buffer): Buffer {
  field.copy(tar, 136)
  tar.fill(' ', 148, 156)
  const sum = tar.subarray(0, 512).reduce((all, byte) => all + byte, 0)
  tar.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return tar
}

const latest = 8 ** 11 - 1
test.each([
  ['before 1970', Buffer.alloc(12, 0xff), 0],
  ['without a form', Buffer.from('when? -1\0\0\0\0'), 0],
  ['beyond 64 bits', Buffer.from([0x80, ...Array<number>(11).fill(0xff)]), latest],
  ['with the highest bit', Buffer.from([0x80, 0, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0]), latest],
  ['far in the future', Buffer.from([0x80, 0, 0, 0, 0x7f, 0, 0, 0, 0, 0, 0, 0]), latest],
  ['in spaces', Buffer.from(' 13727410000'), 1_600_000_000],
])('an image with a time %s is an image, with the nearest time', async (_, field, time) => {
  const tar = withTime(await tarOf([[{ name: 'a/', type: 'directory' }], [{ name: 'a/file' }, 'x']]), field)
  const digest = sha256Of(tar)
  await agent.client.installImage(digest, layerOf(tar))
  expect((await agent.run(shellJob(digest, 'stat -c %Y /a'))).log).toBe(`${time}\n`)
})

test.each([
  ['1600000000.987654321', 1_600_000_000],
  ['-5.5', 0],
  ['99999999999999999999', latest],
  ['none', 0],
])('a time of extended headers counts, as %s', async (mtime, time) => {
  const digest = await agent.image([[{ name: 'a/', type: 'directory', pax: { mtime } }]])
  expect((await agent.run(shellJob(digest, 'stat -c %Y /a'))).log).toBe(`${time}\n`)
})

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
  await Promise.all([1, 2, 3].map(() => agent.client.installImage(digest, layerOf(tar))))
  expect(await agent.client.hasImage(digest)).toBe(true)
})

test('an image that is missing cannot have a layer, and a layer needs the digest of both', async () => {
  const tar = await tarOf([[{ name: 'x' }, 'x']])
  const missing = sha256Of('missing')
  const install = (digest: string, lower: string) => agent.client.installImage(digest, layerOf(tar), lower)
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
