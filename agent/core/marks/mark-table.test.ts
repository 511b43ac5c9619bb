import { expect, test } from 'vitest'
import { newId } from '../../../server/base/ids.ts'
import { hashOf, kindOf, type MarkKind, recordOf } from './mark.ts'
import { MarkTable } from './mark-table.ts'

const wordsOf = (id: string, kind: MarkKind): Uint32Array => {
  const record = recordOf(id, kind)
  return new Uint32Array([0, 4, 8, 12].map((at) => record.readUInt32LE(at)))
}

test('a table finds exactly its marks with their kinds, also after it has grown', () => {
  const table = new MarkTable()
  const ids = Array.from({ length: 20_000 }, (_, at) => `run_${at}_1`)
  const kind = (at: number): MarkKind => (at % 3 === 0 ? 'forbidden' : 'removed')
  for (const [at, id] of ids.entries()) table.add(wordsOf(id, kind(at)), 0)
  expect(table.size).toBe(ids.length)
  for (const [at, id] of ids.entries()) expect(kindOf(table.bitsOf(hashOf(id)))).toBe(kind(at))
  for (let at = 0; at < 20_000; at += 1) expect(table.bitsOf(hashOf(newId('run')))).toBe(0)
})

test('an id that is removed and forbidden counts as removed', () => {
  const table = new MarkTable()
  table.add(wordsOf('run_a', 'removed'), 0)
  table.add(wordsOf('run_a', 'forbidden'), 0)
  expect(table.size).toBe(1)
  expect(kindOf(table.bitsOf(hashOf('run_a')))).toBe('removed')
})
