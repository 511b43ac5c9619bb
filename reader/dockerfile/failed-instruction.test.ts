import { expect, it } from 'vitest'
import { checkDockerfile } from './dockerfile.ts'
import { failedInstruction } from './failed-instruction.ts'

const read = (...lines: string[]) => checkDockerfile(Buffer.from(lines.join('\n')))
const at = (dockerfile: ReturnType<typeof read>, lines: number, hasEnded = true) =>
  failedInstruction(dockerfile, { lines, hasEnded })?.line

const single = read('ARG X=1', '', 'FROM debian', 'RUN one \\', '  && two', '# why', 'COPY a /a')

it.each([
  ['ended', true, [undefined, 3, 4, 7, undefined]],
  ['was killed', false, [3, 4, 7, undefined, undefined]],
] as const)('finds the instruction of a builder that %s', (_how, hasEnded, expected) => {
  expect(expected.map((_line, lines) => at(single, lines, hasEnded))).toEqual(expected)
})

it('counts only needed stages, independent of their output', () => {
  const staged = read(
    'FROM debian AS tools',
    'RUN echo STEP 9/9: RUN fake',
    'FROM debian AS unused',
    'RUN true',
    'FROM tools AS middle',
    'FROM scratch',
    'COPY --from=middle /a /a',
    'COPY --from=0 /b /b',
  )
  // tools: its instruction and its end; middle: its end; the last: two instructions and its end.
  expect([1, 2, 3, 4, 5, 6, 7].map((lines) => at(staged, lines))).toEqual([1, 2, 5, 6, 7, 8, undefined])
  expect([0, 1, 2, 3, 4, 5, 6].map((lines) => at(staged, lines, false))).toEqual([
    1,
    2,
    5,
    6,
    7,
    8,
    undefined,
  ])
  expect(failedInstruction(staged, { lines: 5, hasEnded: true })).toEqual({
    line: 7,
    stage: 4,
    stage_name: null,
    text: 'COPY --from=middle /a /a',
  })
})

it('shows a bounded text on one line', () => {
  const long = read('FROM debian AS base', `RUN --network=default echo ${'😀'.repeat(300)}`)
  const found = failedInstruction(long, { lines: 2, hasEnded: true })
  expect(found).toMatchObject({ line: 2, stage: 1, stage_name: 'base' })
  expect(found?.text).toMatch(/^RUN --network=default echo 😀/)
  expect(found?.text.length).toBe(200)
  expect(found?.text.isWellFormed()).toBe(true)
})

it('finds nothing after the last instruction', () => {
  expect(at(single, 1000)).toBeUndefined()
})
