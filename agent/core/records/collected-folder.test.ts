import type { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sha256Of } from '../../../server/base/sha256.ts'
import { shellJob, TestAgent } from '../../../testing/agent/test-agent.ts'
import { type FolderEntryHead, folderParts } from '../../port/folder-entries.ts'
import { knownContentsMax } from '../../port/known-contents.ts'
import { type SandboxSpec, sandboxRuntimes } from '../../port/sandbox-spec.ts'
import { inputOf } from '../../port/start-input.ts'

let agent: TestAgent
let empty: string
beforeAll(async () => {
  agent = await TestAgent.start()
  empty = await agent.image()
})
afterAll(() => agent.dispose())

const kept = {
  path: '/workspace/kept',
  maxFiles: 20,
  maxBytes: 100_000,
  maxPathBytes: 200,
  maxNameBytes: 100,
}

const job = (script: string, more: Partial<SandboxSpec> = {}): SandboxSpec => ({
  ...shellJob(empty, `cd /workspace && mkdir kept && cd kept && ${script}`, more),
  collect: { files: [], folder: kept },
})

type Entry = FolderEntryHead & { content: Buffer }

async function entriesOf(bytes: Readable): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const part of folderParts(bytes)) {
    const last = entries.at(-1)
    if (!Buffer.isBuffer(part)) entries.push({ ...part, content: Buffer.alloc(0) })
    else if (last) last.content = Buffer.concat([last.content, part])
  }
  return entries
}

const described = ({ kind, mode, path, content }: Entry) =>
  [kind, kind === 'link' ? '' : mode.toString(8), path, content.toString()].join(' ')

test.each(sandboxRuntimes)(
  'on %s, a folder is kept with its folders, links, modes and hard links',
  async (runtime) => {
    const script = `umask 022; mkdir -p a/empty; printf one > a/x; chmod 755 a/x; ln a/x b; ln -s a/x c; ln -s ../../etc/passwd d;
    : > e; mkfifo f; chmod 700 a/empty`
    const spec = job(script, { runtime })
    const { exit } = await agent.run(spec)
    expect(exit.folder).toEqual({ status: 'collected', reason: '' })
    expect((await entriesOf(await agent.client.folder(spec.id))).map(described)).toEqual([
      'folder 755 a ',
      'folder 700 a/empty ',
      'file 755 a/x one',
      'file 755 b one',
      'link  c a/x',
      'link  d ../../etc/passwd',
      'file 644 e ',
    ])
  },
)

test.each(sandboxRuntimes)('on %s, each file has its time, within what an archive holds', async (runtime) => {
  const script = `: > a; touch -d @1600000000 a; : > b; touch -d @-5 b; : > c; touch -d @8589934599 c; : > d`
  const spec = job(script, { runtime })
  const before = Math.floor(Date.now() / 1000)
  await agent.run(spec)
  const entries = await entriesOf(await agent.client.folder(spec.id))
  const times = Object.fromEntries(entries.map(({ path, modifiedAt }) => [path, modifiedAt]))
  expect(times).toEqual({ a: 1_600_000_000, b: 0, c: 8 ** 11 - 1, d: expect.any(Number) })
  expect(times.d).toBeGreaterThanOrEqual(before)
})

test.each([
  ['too_many_files', 'for n in 1 2 3 4 5 6 7; do mkdir $n; : > $n/a; ln -s a $n/b; done'],
  ['too_large', 'truncate -s 5000000 sparse'],
  ['too_large', 'truncate -s 60k a; truncate -s 60k b'],
  ['name_too_long', `: > ${'n'.repeat(101)}`],
  ['path_too_long', `mkdir -p ${'p'.repeat(90)}/${'p'.repeat(90)}/${'p'.repeat(90)}`],
  ['link_too_long', `ln -s ${'l'.repeat(201)} a`],
  ['control_character', `: > "$(printf 'a\\tb')"`],
  ['not_a_folder', 'cd .. && rm -r kept && ln -s /etc kept'],
  ['not_a_folder', 'cd .. && rm -r kept && : > kept'],
])('a folder that is %s is refused as a whole', async (reason, script) => {
  const spec = job(script)
  const { exit } = await agent.run(spec)
  expect(exit.exitCode).toBe(0)
  expect(exit.folder).toMatchObject({ status: 'rejected', reason })
  await expect(agent.client.folder(spec.id)).rejects.toThrow()
})

test('a folder that was removed is absent, and no folder is reported where none is collected', async () => {
  const spec = job('cd .. && rm -r kept')
  expect((await agent.run(spec)).exit.folder).toEqual({ status: 'absent', reason: '' })
  expect(await entriesOf(await agent.client.folder(spec.id))).toEqual([])
  expect((await agent.run(shellJob(empty, 'true'))).exit.folder).toBeNull()
})

test.each(sandboxRuntimes)(
  'on %s, a file whose content is known is collected as its digest, whatever its name, mode and time',
  async (runtime) => {
    const contents = ['one', 'x'.repeat(70_000), 'other size', ''].map((text) => Buffer.from(text))
    const known = contents.map((content) => ({ byteSize: content.length, digest: sha256Of(content) }))
    const script = `umask 022; printf one > a; printf two > b; printf one > c; chmod 700 c; touch -d 2001-01-01 c;
    yes x | tr -d '\\n' | head -c 70000 > d; : > e; truncate -s 70000 f`
    const spec = job(script, { runtime })
    spec.collect.folder = { ...kept, maxBytes: 200_000 }
    await agent.client.start(spec, inputOf(Buffer.alloc(0), { known }))
    const exit = await agent.client.wait(spec.id)
    expect(exit.folder).toEqual({ status: 'collected', reason: '' })
    const entries = await entriesOf(await agent.client.folder(spec.id))
    expect(entries.map(({ kind, path, mode, byteSize }) => [kind, path, mode.toString(8), byteSize])).toEqual(
      [
        ['known', 'a', '644', 3],
        ['file', 'b', '644', 3],
        ['known', 'c', '700', 3],
        ['known', 'd', '644', 70_000],
        ['known', 'e', '644', 0],
        ['file', 'f', '644', 70_000],
      ],
    )
    for (const { kind, path, content } of entries)
      if (kind === 'known')
        expect([path, known.map(({ digest }) => digest)]).toEqual([
          path,
          expect.arrayContaining([`sha256:${content.toString('hex')}`]),
        ])
  },
)

test('files with known contents count to the limits of the folder', async () => {
  const known = [{ byteSize: 60_000, digest: sha256Of(Buffer.alloc(60_000)) }]
  const spec = job('truncate -s 60000 a; truncate -s 60000 b')
  await agent.client.start(spec, inputOf(Buffer.alloc(0), { known }))
  expect((await agent.client.wait(spec.id)).folder).toMatchObject({ status: 'rejected', reason: 'too_large' })
})

test('a list of known contents that is too long is refused, and nothing starts', async () => {
  const spec = job('true')
  const known = Array.from({ length: knownContentsMax + 1 }, (_, byteSize) => ({
    byteSize,
    digest: sha256Of(`${byteSize}`),
  }))
  await expect(agent.client.start(spec, inputOf(Buffer.alloc(0), { known }))).rejects.toMatchObject({
    slug: 'spec_invalid',
  })
  expect(await agent.client.list()).not.toContainEqual(expect.objectContaining({ id: spec.id }))
})
