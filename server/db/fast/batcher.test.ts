import { expect, test } from 'vitest'
import { Batcher } from './batcher.ts'

/** Returns `row KEY` for each key except the empty one when released, and records its calls. */
function held() {
  const calls: { keys: readonly string[]; end: (error?: Error) => void }[] = []
  const load = async (keys: readonly string[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    calls.push({ keys, end: (error) => (error ? reject(error) : resolve()) })
    await promise
    return keys.map((key) => (key === '' ? undefined : `row ${key}`))
  }
  return { calls, batcher: new Batcher(load) }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('concurrent keys are loaded together, and each gets its own row', async () => {
  const { calls, batcher } = held()
  const found = Promise.all(['a', 'b', '', 'a'].map((key) => batcher.add(key)))
  await turn()
  expect(calls.map(({ keys }) => keys)).toEqual([['a', 'b', '', 'a']])
  calls[0]?.end()
  expect(await found).toEqual(['row a', 'row b', undefined, 'row a'])
})

test('a key never gets its row from a statement that started before the key arrived', async () => {
  const { calls, batcher } = held()
  const first = batcher.add('a')
  await turn()
  const second = batcher.add('a')
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

test('keys that arrive while a statement runs share the next statement', async () => {
  const { calls, batcher } = held()
  const found = [batcher.add('a')]
  await turn()
  found.push(batcher.add('b'), batcher.add('c'))
  await turn()
  expect(calls.map(({ keys }) => keys)).toEqual([['a']])
  calls[0]?.end()
  await found[0]
  await turn()
  expect(calls[1]?.keys).toEqual(['b', 'c'])
  calls[1]?.end()
  expect(await Promise.all(found)).toEqual(['row a', 'row b', 'row c'])
})

test('the next statement starts before rows of the previous one are delivered', async () => {
  const { calls, batcher } = held()
  const underWay: number[] = []
  const first = batcher.add('a').then(() => underWay.push(calls.length))
  await turn()
  void batcher.add('b')
  calls[0]?.end()
  await first
  expect(underWay).toEqual([2])
})

test('keys above the size limit are split over statements, and a single larger key is loaded alone', async () => {
  const mebibyte = 1024 * 1024
  const sizes: number[][] = []
  const load = async (keys: readonly number[]) => {
    sizes.push([...keys])
    return keys
  }
  const batcher = new Batcher(load, (size) => size * mebibyte)
  await Promise.all([3, 1, 1, 9, 1].map((size) => batcher.add(size)))
  expect(sizes).toEqual([[3, 1], [1], [9], [1]])
})

test('a failed statement rejects exactly its own keys', async () => {
  const { calls, batcher } = held()
  const lost = Promise.allSettled([batcher.add('a'), batcher.add('b')])
  await turn()
  calls[0]?.end(new Error('away'))
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const next = batcher.add('c')
  await turn()
  calls[1]?.end()
  expect(await next).toBe('row c')
})

test('a load that waits for its commit starts the next one, which starts another only at its end', async () => {
  const calls: { keys: readonly string[]; committing: () => void; end: () => void }[] = []
  const batcher = new Batcher<string, string>(async (keys, committing) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    calls.push({ keys, committing, end: resolve })
    await promise
    return keys
  })
  const requested = () => calls.map(({ keys }) => keys)
  const found = [batcher.add('a')]
  await turn()
  found.push(batcher.add('b'))
  calls[0]?.committing()
  expect(requested()).toEqual([['a'], ['b']])
  calls[1]?.committing()
  found.push(batcher.add('c'))
  await turn()
  expect(requested()).toEqual([['a'], ['b']])
  calls[0]?.end()
  await turn()
  expect(requested()).toEqual([['a'], ['b'], ['c']])
  for (const { end } of calls) end()
  expect(await Promise.all(found)).toEqual(['a', 'b', 'c'])
})
