import { expect, test } from 'vitest'
import { contextReads, mayRead } from './context-reads.ts'
import { readInstructions } from './grammar/instruction.ts'

const files = [
  '.dockerignore',
  'Dockerfile',
  'a',
  'a.txt',
  'src/main.c',
  'src/lib/x.c',
  'package.json',
  'package-lock.json',
]

const readBy = (line: string) => {
  const [instruction] = readInstructions(line.split('\n'))
  if (!instruction) throw new Error('no instruction')
  const reads = contextReads(instruction)
  return files.filter((path) => mayRead(reads, path))
}

test.each([
  ['RUN cat a', []],
  ['RUN --mount=source=src/lib,target=/x --mount=type=cache,target=/c true', ['src/lib/x.c']],
  ['COPY --from=tools a /a', []],
  ['COPY a /a', ['a']],
  ['COPY --chown=1:1 ./a //src/ /x/', ['a', 'src/main.c', 'src/lib/x.c']],
  ['ADD src/lib .', ['src/lib/x.c']],
  ['COPY package*.json ./', ['package.json', 'package-lock.json']],
  ['COPY src/l[i]b/x.c ./', ['src/lib/x.c']],
  ['COPY none /none', []],
  ['COPY --exclude=*.c src /x', ['src/main.c', 'src/lib/x.c']],
  ['COPY <<"EOF" /x\nCOPY a /a\nEOF', []],
  ['COPY a <<EOF /x/\nEOF', ['a']],
])('%s reads %j', (line, expected) => {
  expect(readBy(line)).toEqual(expected)
})

test.each([
  'COPY . .',
  'RUN --mount=target=/x true',
  'COPY / /',
  'COPY $SOURCE /',
  'COPY ["a", "/a"]',
  'COPY "a b" /',
  'COPY a\\ b /',
  'COPY src/../a /',
  'COPY *.c /',
  'COPY a',
  `COPY ${Array.from({ length: 20 }, (_, at) => `none${at}*`).join(' ')} /`,
  `COPY ${'a'.repeat(1025)} /`,
])('%s may read everything', (line) => {
  expect(readBy(line)).toEqual(files)
})
