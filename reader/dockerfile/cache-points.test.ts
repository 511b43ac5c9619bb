import { expect, test } from 'vitest'
import { readArchive } from '../formats/archive.ts'
import { sourceOf, tar } from '../formats/archive-fixtures.ts'
import { ContentDigest } from '../formats/content-digest.ts'
import { cachePoints } from './cache-points.ts'
import { checkDockerfile } from './dockerfile.ts'

type Entry = Parameters<typeof tar>[number]

async function points(
  lines: string[],
  entries: Entry[] = [{ name: 'a' }, { name: 'b' }],
  isSeen: (path: string) => boolean = () => true,
) {
  const digest = new ContentDigest()
  for await (const { body } of digest.through(readArchive(sourceOf(tar(...entries)), 'tar'))) {
    if (body) for await (const _ of body);
  }
  return cachePoints(checkDockerfile(Buffer.from(lines.join('\n'))), digest.seenBy(isSeen))
}

const places = async (...of: Parameters<typeof points>) =>
  (await points(...of)).map(({ stage, count, line }) => [stage, count, line])
const keys = async (...of: Parameters<typeof points>) => (await points(...of)).map(({ key }) => key)
/** The number of cache points that two builds share. */
const common = async (one: Parameters<typeof points>, other: Parameters<typeof points>) => {
  const known = new Set(await keys(...one))
  return (await keys(...other)).filter((key) => known.has(key)).length
}

test('there is a cache point after each instruction that changes files', async () => {
  const lines = [
    'ARG V=1',
    'FROM x AS one',
    'ENV A=b',
    'RUN \\',
    '  # why',
    '  true',
    'USER 1',
    'COPY a /',
    'FROM one',
    'RUN x',
  ]
  expect(await places(lines)).toEqual([
    [0, 2, 4],
    [0, 4, 8],
    [1, 1, 10],
  ])
})

const lines = ['FROM x', 'COPY a /', 'RUN one', 'COPY b /', 'RUN two']

test.each([
  ['a base image', ['FROM y', ...lines.slice(1)], undefined, 0],
  ['an argument', ['ARG V=2', ...lines], undefined, 0],
  ['a step', [...lines.slice(0, 2), 'RUN other', ...lines.slice(3)], undefined, 1],
  ['a comment in a step', [...lines.slice(0, 2), 'RUN \\\n# why\none', ...lines.slice(3)], undefined, 1],
  ['a comment after one', [...lines.slice(0, 3), '# why', ...lines.slice(3)], undefined, 4],
  ['a first file', lines, [{ name: 'a', content: 'x' }, { name: 'b' }], 0],
  ['a later file', lines, [{ name: 'a' }, { name: 'b', content: 'x' }], 2],
  ['a mode', lines, [{ name: 'a', mode: 0o755 }, { name: 'b' }], 0],
  ['a kind', lines, [{ name: 'a/', type: '5' }, { name: 'b' }], 0],
  ['a file that nothing reads', lines, [{ name: 'a' }, { name: 'b' }, { name: 'c' }], 4],
])('another key comes from %s', async (_what, changed, entries, expected) => {
  expect(await common([lines], [changed, entries as Entry[] | undefined])).toBe(expected)
})

test('the key of a stage includes the keys of stages that it starts or copies from', async () => {
  const file = (step: string) => [
    'FROM x AS one',
    step,
    'FROM y',
    'RUN y',
    'COPY --from=one / /',
    'FROM one',
    'RUN z',
    'COPY --from=1 / /',
  ]
  expect(await common([file('RUN a')], [file('RUN b')])).toBe(1)
  expect(await common([file('RUN a')], [file('RUN a')])).toBe(5)
})

test.each([
  ['a volume', 'VOLUME /data'],
  ['a mount', 'RUN --mount=type=cache,id=c,target=/c true'],
  ['an argument of others', 'ARG V=$OTHER'],
  ['an argument that is a variable too', 'ARG V=1\nENV V=2'],
  ['a variable that is an argument too', 'ENV V=2\nARG V=1'],
  ['a variable with a name of an argument', 'ARG V=1\nENV $V=2'],
  ['a stage that is not understood', 'COPY --from=one / /'],
])('nothing is cached after %s', async (_what, step) => {
  const file = ['FROM x AS one', 'VOLUME /x', 'FROM x', 'RUN a', step, 'COPY --from=one / /', 'RUN b']
  expect(await places(file)).toEqual([[1, 1, 4]])
})

test('a variable may use an argument', async () => {
  expect(await places(['FROM x', 'ARG V=1', 'ENV PATH=/opt/$V/bin', 'RUN b'])).toHaveLength(1)
})

test.each([
  ['COPY a /', 0],
  ['COPY a* /', 0],
  ['COPY a/x /', 0],
  ['COPY b /', 1],
  ['COPY . /', 1],
])('nothing is cached if %s meets a link', async (copy, expected) => {
  const entries = [{ name: 'a', type: '2', linkName: 'b' }, { name: 'b' }] as Entry[]
  expect(await places(['FROM x', copy], entries)).toHaveLength(expected)
})

test.each([
  ['COPY a /', 0],
  ['COPY d /', 0],
  ['COPY b /', 1],
  ['COPY . /', 1],
])('nothing is cached if %s reads a hard link', async (copy, expected) => {
  const link = (name: string) => ({ name, type: '1', linkName: 'b' })
  const entries = [{ name: 'b' }, link('a'), link('d/a')]
  expect(await places(['FROM x', copy], entries)).toHaveLength(expected)
})

test('a Dockerfile with very many instructions has a bounded number of cache points', async () => {
  const entries = Array.from({ length: 1000 }, (_, at) => ({ name: `f${at}` }))
  const copies = Array.from({ length: 499 }, () => 'COPY . /')
  expect(await places(['FROM x', ...copies], entries)).toHaveLength(100)
})

const many = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)

test.each<[what: string, steps: string[], expected: number]>([
  ['sources', [`COPY ${many(60_000, 's').join(' ')} /x/`], 1],
  ['patterns', [`COPY ${many(60_000, 'p*').join(' ')} /x/`], 1],
  ['arguments', [`ARG ${many(60_000, 'A').join(' ')}`, `ENV ${many(30_000, 'E').join('=1 ')}=1`, 'RUN a'], 1],
])(
  'very many %s of a Dockerfile are compared with the paths of a large context in time',
  async (_what, steps, expected) => {
    const entries: Entry[] = [
      ...many(20_000, 'f').map((name) => ({ name })),
      ...many(1000, 'l').map((name) => ({ name, type: '2', linkName: 'f0' })),
    ]
    const startedAt = performance.now()
    expect(await places(['FROM x', ...steps], entries)).toHaveLength(expected)
    expect(performance.now() - startedAt).toBeLessThan(60_000)
  },
)

test('a file that the build does not see changes no key, and a link that it does not see is none', async () => {
  const all = [...lines, 'COPY . /all']
  const unseen = (path: string) => path !== 'c'
  const known = await keys(all, [{ name: 'a' }, { name: 'b' }])
  for (const entry of [{ name: 'c' }, { name: 'c', content: 'x' }, { name: 'c', type: '2', linkName: 'a' }])
    expect((await points(all, [{ name: 'a' }, { name: 'b' }, entry], unseen)).map(({ key }) => key)).toEqual(
      known,
    )
  expect(await keys(all, [{ name: 'a' }, { name: 'b' }, { name: 'c' }])).not.toEqual(known)
})
