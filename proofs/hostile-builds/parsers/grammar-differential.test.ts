import { expect, it } from 'vitest'
import { checkDockerfile } from '../../../reader/dockerfile/dockerfile.ts'
import type { ParsedFile } from './builder-parser.ts'
import { comparedGrammars, compareFiles, differenceBetween } from './grammar-differential.ts'

const text = 'FROM scratch\nCOPY --chmod=755 <<-"A" /x\n\ta\n\tA\n'
const doc = { name: 'A', content: '\n\ta', expand: false, chomp: true }
const copied = {
  keyword: 'copy',
  flags: ['--chmod=755'],
  text: 'COPY --chmod=755 <<-"A" /x',
  start: 2,
  end: 4,
  heredocs: [doc],
}
const from = { keyword: 'from', flags: null, text: 'FROM scratch', start: 1, end: 1, heredocs: [] }
const parsed: ParsedFile = { escape: '\\', instructions: [from, copied] }

it('finds no difference where there is none', () => {
  expect(differenceBetween(checkDockerfile(Buffer.from(text)), parsed)).toBeUndefined()
})

it.each([
  ['instruction', { instructions: [from, copied, from] }],
  ['escape character', { escape: '`' }],
  ['flag', { instructions: [from, { ...copied, flags: [] }] }],
  ['last line', { instructions: [from, { ...copied, end: 3 }] }],
  ['name of a heredoc', { instructions: [from, { ...copied, heredocs: [{ ...doc, name: 'B' }] }] }],
  ['text of a heredoc', { instructions: [from, { ...copied, heredocs: [{ ...doc, content: '\na' }] }] }],
  ['rule for variables', { instructions: [from, { ...copied, heredocs: [{ ...doc, expand: true }] }] }],
  ['number of heredocs', { instructions: [from, { ...copied, heredocs: [] }] }],
])('finds another %s', (_name, change) => {
  const other: ParsedFile = { ...parsed, ...change }
  expect(differenceBetween(checkDockerfile(Buffer.from(text)), other)).toMatch(/ there$|escape/)
})

it('reports each difference, and counts what the gate refuses', async () => {
  const report = { refused: 0, compared: 0, failures: [] }
  const same = { parse: async (texts: string[]) => texts.map(() => parsed) }
  await compareFiles(same, [text, 'FROM $X', 'FROM scratch'], report)
  expect(report).toMatchObject({ refused: 1, compared: 2 })
  expect(report.failures).toEqual([expect.stringMatching(/^"FROM scratch": 1 instructions here, 2 there/)])
})

it('compares as many mutated files as it is asked for', async () => {
  const refusing = { parse: async (texts: string[]) => texts.map(() => ({ ...parsed, error: 'refused' })) }
  const { refused, compared } = await comparedGrammars(refusing, 2500, 3)
  expect(refused + compared).toBe(2500)
  expect(compared).toBeGreaterThan(300)
})
