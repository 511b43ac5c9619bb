import { expect, test } from 'vitest'
import { mayRead } from './context-reads.ts'
import { checkDockerfile } from './dockerfile.ts'
import { failedInstruction } from './failed-instruction.ts'
import { dockerfileText, type PartialBuild, readsOf, remainingBuild } from './remaining-build.ts'

const file = checkDockerfile(
  Buffer.from(`ARG V=1
FROM x AS one
ARG A=1
RUN one \\
  # inside
  more
# behind
COPY a /
FROM y AS unused
RUN secret
FROM one AS last
SHELL ["/bin/sh"]
RUN two
COPY --from=one b c /
RUN three
`),
)
const left = (partial: PartialBuild) => dockerfileText(remainingBuild(file, partial)).trimEnd().split('\n')

test('a stage starts from its cached layers and repeats its arguments', () => {
  expect(left({ done: [{ stage: 2, count: 2 }] }).slice(-3)).toEqual([
    'FROM dir:/workspace/prefixes/2 AS last',
    'COPY --from=one b c /',
    'RUN three',
  ])
})

test('each stage declares the arguments of the platform first, and a failure is that of the author’s line', () => {
  const partial = { done: [], stageArguments: ['A=1', 'B=2'] }
  expect(left(partial).slice(0, 4)).toEqual(['ARG V=1', 'FROM x AS one', 'ARG A=1 B=2', 'ARG A=1'])
  expect(left(partial).filter((line) => line === 'ARG A=1 B=2')).toHaveLength(3)
  const found = failedInstruction(remainingBuild(file, partial), { lines: 4, hasEnded: true })
  expect(found).toMatchObject({ line: 4, text: expect.stringMatching(/^RUN one/) })
})

test('a part contains only what it needs', () => {
  const until = { stage: 2, count: 2 }
  const part = remainingBuild(file, { done: [{ stage: 0, count: 2 }], until })
  expect(dockerfileText(part).split('\n')).toEqual([
    'ARG V=1',
    'FROM dir:/workspace/prefixes/0 AS one',
    'ARG A=1',
    'COPY a /',
    'FROM y AS unused',
    'FROM one AS last',
    'SHELL ["/bin/sh"]',
    'RUN two',
    '',
  ])
  expect(['a', 'b', 'Dockerfile'].map((path) => mayRead(readsOf(part), path))).toEqual([true, false, false])
  expect(left({ done: [], until: { stage: 0, count: 2 } })).toEqual([
    'ARG V=1',
    'FROM x AS one',
    'ARG A=1',
    'RUN one \\',
    '  # inside',
    '  more',
  ])
})

test('a failing instruction after cached layers has its line in the whole file', () => {
  const partial = remainingBuild(file, {
    done: [
      { stage: 0, count: 3 },
      { stage: 2, count: 3 },
    ],
  })
  expect(failedInstruction(partial, { lines: 1, hasEnded: false })).toMatchObject({ line: 15, stage: 3 })
})
