// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Dockerfile variables look like this
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it, test } from 'vitest'
import { withCopyChecks } from '../../../reader/dockerfile/copy-checks.ts'
import { checkDockerfile } from '../../../reader/dockerfile/dockerfile.ts'
import { failedInstruction } from '../../../reader/dockerfile/failed-instruction.ts'
import { dockerfileText } from '../../../reader/dockerfile/remaining-build.ts'
import { tar } from '../../../reader/formats/archive-fixtures.ts'
import { BuilderBench } from '../../../testing/builds/builder-bench.ts'

/* Folders and files that COPY and ADD bring, against what the image has in their place. */

let bench: BuilderBench
beforeAll(async () => {
  bench = await BuilderBench.start()
}, 60_000)
afterAll(() => bench.dispose(), 60_000)

const base = 'curated/python:3.11'
const folders = new Set([
  '',
  'rootfs',
  'rootfs/bin',
  'rootfs/etc',
  'rootfs/etc/app',
  'files',
  'deep',
  'deep/a',
  'deep/a/b',
])

function parse(...lines: string[]) {
  return withCopyChecks(checkDockerfile(Buffer.from([`FROM ${base}`, ...lines].join('\n'))), { folders })
}

async function build(...lines: string[]) {
  const checked = parse(...lines)
  const archive = gzipSync(tar({ name: 'bin/', type: '5' }, { name: 'bin/tool' }))
  const inner = gzipSync(tar({ name: 'bin/tool' }))
  const result = await bench.build(
    [
      [{ name: 'Dockerfile' }, dockerfileText(checked)],
      [{ name: 'context/rootfs/bin/foo.sh' }, 'echo foo\n'],
      [{ name: 'context/rootfs/etc/app/c' }, 'c\n'],
      [{ name: 'context/files/passwd' }, 'p\n'],
      [{ name: 'context/files/cron.d' }, 'not a folder\n'],
      [{ name: 'context/deep/a/b/c' }, 'c\n'],
      [{ name: 'context/folder.tar.gz' }, archive],
      [{ name: 'context/file.tar.gz' }, inner],
    ],
    [base],
  )
  return { ...result, checked }
}

const replacing: [what: string, lines: string[], place: string][] = [
  ['COPY of a tree', ['COPY rootfs /'], '/bin is a link to usr/bin'],
  ['ADD of a tree', ['ADD rootfs /'], '/bin is a link to usr/bin'],
  [
    'a name from variables',
    ['ARG WHAT=rootfs TO', 'ENV TO=/', 'COPY ${WHAT} ${TO}'],
    '/bin is a link to usr/bin',
  ],
  ['a pattern', ['COPY root* /'], '/bin is a link to usr/bin'],
  ['the JSON form', ['COPY ["rootfs", "/"]'], '/bin is a link to usr/bin'],
  ['an archive', ['ADD folder.tar.gz /'], '/bin is a link to usr/bin'],
  ['a relative destination', ['WORKDIR /', 'COPY rootfs .'], './bin is a link to usr/bin'],
  [
    'a link that a step made',
    ['RUN mkdir -p /x/a /y && ln -s /y /x/a/b', 'COPY deep /x/'],
    '/x/a/b is a link to /y',
  ],
  ['a folder onto a file', ['RUN mkdir /x && touch /x/a', 'COPY deep /x'], '/x/a is a file'],
  [
    'another stage',
    ['RUN mkdir -p /out/bin && touch /out/bin/tool', `FROM ${base}`, 'COPY --from=0 /out /'],
    '/bin is a link to usr/bin',
  ],
  [
    'a link in another stage',
    ['RUN mkdir -p /out/bin && ln -s /out /latest', `FROM ${base}`, 'COPY --from=0 /latest /'],
    '/bin is a link to usr/bin',
  ],
]

test.each(replacing)(
  '%s that would replace a link is refused at its line',
  async (_what, lines, place) => {
    const { exit, log } = await build(...lines)
    expect(exit.exitCode, log).toBe(1)
    expect(log).toContain(`cannot copy to non-directory: ${place} in the image`)
    expect(log).toContain(`Dockerfile:${lines.length + 1}: `)
  },
  60_000,
)

it('a file in the place of a folder is refused', async () => {
  const { log } = await build('RUN mkdir -p /x/cron.d', 'COPY files /x/')
  expect(log).toContain('Dockerfile:3: COPY cannot replace a folder: /x/cron.d is one in the image')
}, 60_000)

it('what Docker copies is copied, also behind links of the destination', async () => {
  const { exit, log, image } = await build(
    'COPY rootfs/bin /bin/',
    'COPY rootfs/bin /usr/local/bin/',
    'COPY rootfs/etc /etc',
    'ADD file.tar.gz /',
    'COPY --exclude=bin rootfs /',
    'COPY files/passwd /etc/passwd.new',
    'USER nobody',
    'COPY deep "/with blank/"',
    'RUN test -L /bin && foo.sh && ls /usr/bin/tool /etc/app/c /usr/bin/foo.sh /etc/passwd.new "/with blank/a/b/c" && ! ls /.sandbox-check',
  )
  expect([exit.exitCode, image], log).toEqual([1, 'none'])
}, 90_000)

it('the failed instruction is the one that is checked', () => {
  const checked = parse('RUN true', 'COPY rootfs /', 'RUN false')
  // One line before each step, a check included, and one at the end.
  expect(failedInstruction(checked, { lines: 3, hasEnded: true })).toMatchObject({
    line: 3,
    text: 'COPY rootfs /',
  })
  expect(failedInstruction(checked, { lines: 4, hasEnded: true })).toMatchObject({
    line: 3,
    text: 'COPY rootfs /',
  })
  expect(failedInstruction(checked, { lines: 5, hasEnded: true })).toMatchObject({ line: 4 })
})

it.each([
  ['COPY files/passwd /x', false],
  ['COPY a b /x/', false],
  ['COPY <<E /x\nE', false],
  ['COPY "it\'s" /x', false],
  ['COPY $(x) /y', false],
  ['COPY `x` /y', false],
  ['COPY a"$(x)" /y', false],
  ['ADD files/passwd.tar /x', true],
  ['COPY . .', true],
  ['COPY ./files/ /x', true],
  ['COPY --from=x:1 a /x', true],
])('%s has a check: %s', (line, isChecked) => {
  const { instructions } = parse(line)
  expect(instructions.some(({ check }) => check !== undefined)).toBe(isChecked)
})

it('an image from scratch that runs nothing gets no check, which would leave files', () => {
  const text = `FROM scratch AS one\nCOPY . /\nFROM one\nCOPY . /\nRUN ["/x"]\nCOPY . /\nFROM scratch\nCOPY --from=one / /\n`
  const { instructions } = withCopyChecks(checkDockerfile(Buffer.from(text)), { folders })
  expect(instructions.filter(({ check }) => check !== undefined).map(({ line }) => line)).toEqual([6])
})
