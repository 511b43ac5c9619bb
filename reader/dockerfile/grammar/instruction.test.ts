import { expect, it } from 'vitest'
import { readInstructions } from './instruction.ts'

const read = (text: string) => readInstructions(text.split('\n'))

it('reads the texts of several heredocs, and what follows them', () => {
  const [run, copy] = read(
    ['RUN cat <<A \\', '  <<-"B"', 'RUN a \\', '# b', '', 'A', '\tc', '\t\tB', 'COPY a b'].join('\n'),
  )
  expect(run).toMatchObject({ keyword: 'RUN', line: 1, rest: 'cat <<A   <<-"B"' })
  expect(run?.heredocs).toEqual([
    { word: '<<A', name: 'A', isQuoted: false, stripsTabs: false, lines: ['RUN a \\', '# b', ''] },
    { word: '<<-"B"', name: 'B', isQuoted: true, stripsTabs: true, lines: ['\tc'] },
  ])
  expect(run?.source.split('\n')).toHaveLength(8)
  expect(copy).toMatchObject({ keyword: 'COPY', line: 9, heredocs: [], source: 'COPY a b' })
})

it.each([
  'CMD cat <<A',
  'RUN cat <<<A',
  'RUN a << b',
  'RUN echo "<<A"',
  'RUN x<<A',
  'RUN ["<<A"]',
  'RUN ["a", "b\\"]"] <<A',
  'COPY [ "a" , "b" ] <<A',
])('finds no heredoc in %s', (line) => {
  expect(read(`${line}\nCMD b`)).toMatchObject([{ heredocs: [] }, { keyword: 'CMD' }])
})

it.each(['RUN [ a ] <<A', 'RUN ["a" "b"] <<A', 'RUN ["\\x"] <<A', 'RUN ["a", <<A', 'run 0<<A'])(
  'finds a heredoc in %s',
  (line) => {
    expect(read(`${line}\nCMD b\nA`)).toMatchObject([{ heredocs: [{ lines: ['CMD b'] }] }])
  },
)
