import { expect, it } from 'vitest'
import { keptWith } from './kept-answer.ts'

const former = { queryKey: ['/path', { cid: 'one' }, { task: 'a', timeout: 5 }] }
const kept = (of: object, ...names: string[]) => keptWith(of, ...names)('answer', former)

it('keeps an answer about the same thing while something else of its request changes', () => {
  expect(kept({ cid: 'one', task: 'a', timeout: 9 }, 'cid', 'task')).toBe('answer')
})

it.each([{ cid: 'two', task: 'a' }, { cid: 'one', task: 'b' }, { cid: 'one' }])(
  'keeps none about another thing: %o',
  (of) => {
    expect(kept(of, 'cid', 'task')).toBeUndefined()
  },
)

it('has nothing to keep before the first answer', () => {
  expect(keptWith({ cid: 'one' }, 'cid')(undefined)).toBeUndefined()
})
