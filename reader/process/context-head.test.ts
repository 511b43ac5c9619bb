import { buffer } from 'node:stream/consumers'
import { expect, it, test } from 'vitest'
import { createLog } from '../../server/base/logging.ts'
import { testReaders } from '../../testing/test-readers.ts'
import { listArchive, sourceOf, tar } from '../formats/archive-fixtures.ts'

type Entry = Parameters<typeof tar>[number]

const readers = testReaders(createLog('test', 'silent'))
const dockerfile = { name: 'Dockerfile', content: 'FROM python:3.12\nCOPY . /src\n' }

const inspect = (...entries: Entry[]) => readers.inspectContext(sourceOf(tar(...entries)), 'tar')
const detail = (...entries: Entry[]) =>
  inspect(...entries).then(
    () => 'accepted',
    (error) => error.errorDetail,
  )

/** The builder's input, without the parts that it always gets. */
async function unpacked(...entries: Entry[]): Promise<string[]> {
  const written = await buffer(readers.contextTar(sourceOf(tar(...entries)), 'tar'))
  const listed = await listArchive(written, 'tar')
  const always = ['Dockerfile', 'complete', 'context']
  return listed
    .filter(({ path }) => !always.includes(path))
    .map(({ path, linkTarget }) => (linkTarget === undefined ? path : `${path} -> ${linkTarget}`))
}

const goFiles = ['cmd/main.go', 'internal/controller/c.go', 'internal/controller/c_test.go', 'go.mod', 'note']

test('the builder gets what the ignore file leaves, also below folders that it ignores', async () => {
  const entries = goFiles.map((name) => ({ name }))
  const ignore = { name: '.dockerignore', content: '# all but\n**\n!**/*.go\n**/*_test.go\n!go.mod\n' }
  // The ignore file may be the last entry.
  expect(await unpacked(dockerfile, ...entries, ignore)).toEqual([
    'context/cmd/main.go',
    'context/go.mod',
    'context/internal/controller/c.go',
  ])
})

test.each<[string, Entry[], string[]]>([
  [
    'the ignore file of the Dockerfile comes first',
    [{ name: 'Dockerfile.dockerignore', content: 'a' }],
    ['b'],
  ],
  ['an empty one does not count', [{ name: 'Dockerfile.dockerignore' }], ['a']],
  ['another name counts where there is none', [], ['a']],
])('%s', async (_what, more, left) => {
  const general = { name: more.length > 0 ? '.dockerignore' : '.containerignore', content: 'b' }
  const names = await unpacked(dockerfile, { name: 'a' }, { name: 'b' }, general, ...more)
  expect(names.filter((name) => /\/[ab]$/.test(name))).toEqual(left.map((name) => `context/${name}`))
})

test('what is ignored changes no digest, but the Dockerfile does', async () => {
  const ignore = { name: '.dockerignore', content: '*\n!a' }
  const digest = async (...entries: Entry[]) => (await inspect(ignore, ...entries)).canonicalDigest
  const known = await digest(dockerfile, { name: 'a' })
  expect(await digest(dockerfile, { name: 'a' }, { name: 'b' })).toBe(known)
  expect(await digest({ ...dockerfile, content: 'FROM python:3.12\n' }, { name: 'a' })).not.toBe(known)
  expect(await digest(dockerfile, { name: 'a', content: 'x' })).not.toBe(known)
})

test('a hard link to an ignored file is still a file', async () => {
  const ignore = { name: '.dockerignore', content: 'a\n.dockerignore\nDockerfile' }
  expect(await unpacked(dockerfile, { name: 'a' }, { name: 'b', type: '1', linkName: 'a' }, ignore)).toEqual([
    'context/b -> linked/a',
    'linked/a',
  ])
})

it('follows a linked Dockerfile inside the archive', async () => {
  const real = { ...dockerfile, name: 'docker/Dockerfile' }
  const link = { name: 'Dockerfile', type: '2', linkName: 'docker/Dockerfile' }
  for (const entries of [
    [real, link],
    [link, real],
    [
      { name: 'Dockerfile', type: '2', linkName: 'x/Dockerfile' },
      { name: 'x', type: '2', linkName: 'docker' },
      real,
    ],
    [real, { name: 'Dockerfile', type: '1', linkName: 'docker/Dockerfile' }],
  ])
    expect((await inspect(...entries)).bases).toEqual(['python:3.12'])
  const ignore = { name: '.dockerignore', content: 'docker' }
  const changed = { ...real, content: 'FROM python:3.13\n' }
  expect((await inspect(real, link, ignore)).canonicalDigest).not.toBe(
    (await inspect(changed, link, ignore)).canonicalDigest,
  )
})

test.each<[string, Entry[]]>([
  ['leads to nothing', [{ name: 'Dockerfile', type: '2', linkName: 'none' }]],
  ['leads to a folder', [{ name: 'Dockerfile', type: '2', linkName: 'd' }, { name: 'd/a' }]],
  ['leads to itself', [{ name: 'Dockerfile', type: '2', linkName: 'Dockerfile' }]],
])('a Dockerfile that is a link which %s is refused as such', async (_what, entries) => {
  expect(await detail(...entries)).toBe('dockerfile_link')
})

const inFolder = (...entries: Entry[]) =>
  entries.map((entry) => ({
    ...entry,
    name: `app-main/${entry.name}`,
    ...(entry.type === '1' && { linkName: `app-main/${entry.linkName}` }),
  }))

test('an archive of one folder with a Dockerfile is the same context as what is in the folder', async () => {
  const entries = [
    { name: 'a' },
    { name: 'b', type: '1', linkName: 'a' },
    { name: 'src/link', type: '2', linkName: '../a' },
    { name: 'secret' },
    { name: '.dockerignore', content: 'secret\nDockerfile' },
    dockerfile,
  ]
  const plain = await inspect(...entries)
  const macOs = [{ name: '__MACOSX/._app-main' }, { name: '__MACOSX/app-main/._a' }]
  const folder = { name: 'app-main/', type: '5' }
  for (const packed of [
    inFolder(...entries),
    [folder, ...inFolder(...entries)],
    [...macOs, ...inFolder(...entries)],
  ]) {
    expect(await inspect(...packed)).toEqual(plain)
    expect(await unpacked(...packed)).toEqual([...(await unpacked(...entries)), 'notes'])
  }
})

test('the Dockerfile of such a folder may be a link in it', async () => {
  const entries = [
    { name: 'Dockerfile', type: '2', linkName: 'docker/Dockerfile' },
    { ...dockerfile, name: 'docker/Dockerfile' },
  ]
  expect((await inspect(...inFolder(...entries))).bases).toEqual(['python:3.12'])
})

test.each<[string, Entry[], string]>([
  ['a file beside it', [{ name: 'README' }], 'dockerfile_missing'],
  ['a folder beside it', [{ name: 'other/a' }], 'dockerfile_missing'],
  ['a link beside it', [{ name: 'latest', type: '2', linkName: 'app-main' }], 'dockerfile_missing'],
  [
    'a link that leaves it',
    [{ name: 'app-main/src/up', type: '2', linkName: '../../app-main/a' }],
    'reserved_path_or_hostile_entry;link_escapes',
  ],
  [
    'a hard link to what macOS added',
    [{ name: '__MACOSX/a' }, { name: 'app-main/x', type: '1', linkName: '__MACOSX/a' }],
    'reserved_path_or_hostile_entry;hard_link_target',
  ],
])('a folder with a Dockerfile and %s is no context', async (_what, more, refusal) => {
  expect(await detail(...inFolder(dockerfile, { name: 'a' }), ...more)).toBe(refusal)
})

test('only the folder at the top counts, and a Dockerfile at the top comes first', async () => {
  expect(await detail(...inFolder(...inFolder(dockerfile)))).toBe('dockerfile_missing')
  expect(await detail({ name: 'Dockerfile/Dockerfile', content: 'FROM scratch' })).toBe(
    'dockerfile_not_a_file',
  )
  expect(await unpacked(dockerfile, ...inFolder(dockerfile))).toEqual([
    'context/Dockerfile',
    'context/app-main/Dockerfile',
  ])
})

const mounting = (source: string) => ({
  name: 'Dockerfile',
  content: `FROM scratch\nRUN --mount=type=bind,source=${source},target=/x true\n`,
})

test.each(['a', 'd', '/d/./b', 'd/b', 'only/c'])('a mount may show %s', async (source) => {
  const ignore = { name: '.dockerignore', content: 'only\n!only/c' }
  expect(await detail(mounting(source), { name: 'a' }, { name: 'd/b' }, { name: 'only/c' }, ignore)).toBe(
    'accepted',
  )
})

test.each(['none', 'd/none', 'a/b', 'link', 'in/b', 'in', 'secret', 'secret/key', 'Dockerfile.dockerignore'])(
  'a mount may not show %s, which is missing, ignored or behind a link',
  async (source) => {
    const entries = [
      { name: 'a' },
      { name: 'd/b' },
      { name: 'link', type: '2', linkName: 'a' },
      { name: 'in', type: '2', linkName: 'd' },
      { name: 'secret/key' },
      { name: '.dockerignore', content: 'secret' },
    ]
    expect(await detail(mounting(source), ...entries)).toBe('mount_source_missing;line_2')
  },
)
