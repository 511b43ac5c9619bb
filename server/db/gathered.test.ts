import { expect, test } from 'vitest'
import { Gathered } from './gathered.ts'

/** Answers `row KEY` for each key but the empty one, when it is let; tells what it was asked. */
function held() {
  const calls: { keys: readonly string[]; end: (error?: Error) => void }[] = []
  const load = async (keys: readonly string[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    calls.push({ keys, end: (error) => (error ? reject(error) : resolve()) })
    await promise
    return keys.map((key) => (key === '' ? undefined : `row ${key}`))
  }
  return { calls, gathered: new Gathered(load) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('keys of one moment are looked up together, and each gets its own row', async () => {
  const { calls, gathered } = held()
  const found = Promise.all(['a', 'b', '', 'a'].map((key) => gathered.find(key)))
  await turn()
  expect(calls.map(({ keys }) => keys)).toEqual([['a', 'b', '', 'a']])
  calls[0]?.end()
  expect(await found).toEqual(['row a', 'row b', undefined, 'row a'])
})

test('a key is never answered from a statement that was under way before it', async () => {
  const { calls, gathered } = held()
  const first = gathered.find('a')
  await turn()
  const second = gathered.find('a')
  calls[0]?.end()
  await first
  let answered = false
  void second.then(() => {
    answered = true
  })
  await turn()
  expect(calls).toHaveLength(2)
  expect(answered).toBe(false)
  calls[1]?.end()
  expect(await second).toBe('row a')
})

test('keys that come while a statement is under way wait for the next, together', async () => {
  const { calls, gathered } = held()
  const found = [gathered.find('a')]
  await turn()
  found.push(gathered.find('b'), gathered.find('c'))
  await turn()
  expect(calls.map(({ keys }) => keys)).toEqual([['a']])
  calls[0]?.end()
  await found[0]
  await turn()
  expect(calls[1]?.keys).toEqual(['b', 'c'])
  calls[1]?.end()
  expect(await Promise.all(found)).toEqual(['row a', 'row b', 'row c'])
})

test('the next statement is under way before anybody has a row of the one before', async () => {
  const { calls, gathered } = held()
  const underWay: number[] = []
  const first = gathered.find('a').then(() => underWay.push(calls.length))
  await turn()
  void gathered.find('b')
  calls[0]?.end()
  await first
  expect(underWay).toEqual([2])
})

test('keys that are heavy together go one after the other, and one that is too heavy alone', async () => {
  const mebibyte = 1024 * 1024
  const sizes: number[][] = []
  const load = async (keys: readonly number[]) => {
    sizes.push([...keys])
    return keys
  }
  const gathered = new Gathered(load, (size) => size * mebibyte)
  await Promise.all([3, 1, 1, 9, 1].map((size) => gathered.find(size)))
  expect(sizes).toEqual([[3, 1], [1], [9], [1]])
})

test('a statement that fails fails all that it was for, and no other', async () => {
  const { calls, gathered } = held()
  const lost = Promise.allSettled([gathered.find('a'), gathered.find('b')])
  await turn()
  calls[0]?.end(new Error('away'))
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const next = gathered.find('c')
  await turn()
  calls[1]?.end()
  expect(await next).toBe('row c')
})

test('work that waits for its commit lets the next go, and that one none but at its end', async () => {
  const calls: { keys: readonly string[]; committing: () => void; end: () => void }[] = []
  const gathered = new Gathered<string, string>(async (keys, committing) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    calls.push({ keys, committing, end: resolve })
    await promise
    return keys
  })
  const asked = () => calls.map(({ keys }) => keys)
  const found = [gathered.find('a')]
  await turn()
  found.push(gathered.find('b'))
  calls[0]?.committing()
  expect(asked()).toEqual([['a'], ['b']])
  calls[1]?.committing()
  found.push(gathered.find('c'))
  await turn()
  expect(asked()).toEqual([['a'], ['b']])
  calls[0]?.end()
  await turn()
  expect(asked()).toEqual([['a'], ['b'], ['c']])
  for (const { end } of calls) end()
  expect(await Promise.all(found)).toEqual(['a', 'b', 'c'])
})
