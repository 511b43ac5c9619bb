// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Dockerfile variables look like this
import { afterAll, beforeAll, expect, it, test } from 'vitest'
import { failedInstruction } from '../../../reader/dockerfile/failed-instruction.ts'
import { BuilderBench } from '../../../testing/builds/builder-bench.ts'
import {
  buildCopies,
  checkedCopies,
  copyBase,
  refusedPlace,
  withChecks,
} from '../../../testing/builds/copied-files.ts'

/* Folders and files that COPY and ADD bring, against what the image has in their place; more of them are in copied-links.test.ts. */

let bench: BuilderBench
beforeAll(async () => {
  bench = await BuilderBench.start()
})
afterAll(() => bench.dispose())

const replacing: [what: string, lines: string[], place: string][] = [
  ['COPY of a tree', ['COPY rootfs /'], '/bin is a link to usr/bin'],
  ['an excluded folder', ['COPY --exclude=bin rootfs /'], '/bin is a link to usr/bin'],
  [
    'a link in another stage',
    ['RUN mkdir -p /out/bin && ln -s /out /latest', `FROM ${copyBase}`, 'COPY --from=0 /latest /'],
    '/bin is a link to usr/bin',
  ],
]

test.each(replacing)('%s that would replace a link is refused at its line', async (_what, lines, place) => {
  expect(await refusedPlace(bench, lines)).toBe(place)
})

it('a file in the place of a folder is refused', async () => {
  const { log } = await buildCopies(bench, 'RUN mkdir -p /x/cron.d', 'COPY files /x/')
  expect(log).toContain('Dockerfile:3: COPY cannot replace a folder: /x/cron.d is one in the image')
})

it('what Docker copies is copied, also behind links of the destination', async () => {
  const { exit, log, image } = await buildCopies(
    bench,
    'COPY rootfs/bin /bin/',
    'COPY rootfs/bin /usr/local/bin/',
    'COPY rootfs/etc /etc',
    'ADD file.tar.gz /',
    'COPY --exclude=**/*.sh rootfs/bin /bin',
    'COPY files/passwd /etc/passwd.new',
    'USER nobody',
    'COPY ["deep", "/with blank/"]',
    'RUN test -L /bin && foo.sh && ls /usr/bin/tool /etc/app/c /usr/bin/foo.sh /etc/passwd.new "/with blank/a/b/c" && ! ls /.sandbox-check',
    'FROM scratch',
    'COPY --from=0 /etc/passwd.new /passwd',
  )
  expect([exit.exitCode, image], log).toEqual([0, 'accepted'])
})

it('the failed instruction is the one that is checked', () => {
  const checked = checkedCopies('RUN true', 'COPY rootfs /', 'RUN false')
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
  ['COPY --exclude=*.md files /x', true],
])('%s has a check: %s', (line, isChecked) => {
  const { instructions } = checkedCopies(line)
  expect(instructions.some(({ check }) => check !== undefined)).toBe(isChecked)
})

it('an image from scratch that runs nothing gets no check, which would leave files', () => {
  const text = `FROM scratch AS one\nCOPY . /\nFROM one\nCOPY . /\nRUN ["/x"]\nCOPY . /\nFROM scratch\nCOPY --from=one / /\n`
  const { instructions } = withChecks(text)
  expect(instructions.filter(({ check }) => check !== undefined).map(({ line }) => line)).toEqual([6])
})
