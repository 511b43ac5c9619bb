import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { loops } from './loops.ts'

const root = resolve(import.meta.dirname, '../..')
const heading = '| Loop | Over | Bound | Gives way | Proved by |'

interface Row {
  name: string
  /** The files that the row names, some without their folder. */
  files: string[]
  tests: string[]
}

const codeOf = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

function rowsOfTable(): Row[] {
  const text = readFileSync(join(root, 'docs/security.md'), 'utf8')
  const [table = ''] = text.slice(text.indexOf(heading)).split('\n\n')
  const [, , ...lines] = table.split('\n')
  return lines.map((line) => {
    const cells = line.split('|')
    const [, loop = ''] = cells
    return { name: loop.replace(/, `.*/, '').trim(), files: codeOf(loop), tests: codeOf(cells.at(-2)) }
  })
}

const rows = rowsOfTable()
const here = [...new Set(Object.values(loops))]
const sources = globSync('server/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))

it('the table of loops names the test in this folder that sends the longest input of each', () => {
  const proved = rows.flatMap(({ name, tests }) =>
    tests.filter((test) => here.some((each) => each === test)).map((test) => [name, test]),
  )
  expect(Object.fromEntries(proved)).toEqual(loops)
})

it.each(Object.entries(loops))('%s: a case of %s is of that loop', (name, test) => {
  const cases = readFileSync(join(import.meta.dirname, test), 'utf8').matchAll(/\[\s*'([^']+)',/g)
  expect([...cases].map(([, loop]) => loop)).toContain(name)
})

it.each(rows)('$name: a test proves it', ({ tests }) => {
  expect(tests.flatMap((test) => globSync(`{server,proofs}/**/${test}`, { cwd: root }))).not.toEqual([])
})

it('every loop that works in slices is in the table', () => {
  const sliced = sources.filter(
    (file) =>
      file !== 'server/fairness/loop-slices.ts' &&
      /\.isOver\b|slicesOf\(.*\)\.next\(/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(sliced).not.toEqual([])
  const named = rows.flatMap(({ files }) => files)
  expect(sliced.filter((file) => !named.some((one) => file.endsWith(`/${one}`)))).toEqual([])
})
