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
  ['COPY --from=tools a /a', []],
  ['COPY a /a', ['.dockerignore', 'a']],
  ['COPY --chown=1:1 ./a //src/ /x/', ['.dockerignore', 'a', 'src/main.c', 'src/lib/x.c']],
  ['ADD src/lib .', ['.dockerignore', 'src/lib/x.c']],
  ['COPY package*.json ./', ['.dockerignore', 'package.json', 'package-lock.json']],
  ['COPY src/l[i]b/x.c ./', ['.dockerignore', 'src/lib/x.c']],
  ['COPY none /none', ['.dockerignore']],
  ['COPY --exclude=*.c src /x', ['.dockerignore', 'src/main.c', 'src/lib/x.c']],
  ['COPY <<"EOF" /x\nCOPY a /a\nEOF', []],
  ['COPY a <<EOF /x/\nEOF', ['.dockerignore', 'a']],
])('%s reads %j', (line, expected) => {
  expect(readBy(line)).toEqual(expected)
})

test.each([
  'COPY . .',
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
