import { expect, it } from 'vitest'
import { Hashing } from './hashing.ts'

/** Work that runs until the test ends it. */
function held() {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    started.push(name)
    return new Promise<void>((resolve) => ends.set(name, resolve))
  }
  return { started, work, end: (name: string) => ends.get(name)?.() }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('runs two hashes concurrently, one per address', async () => {
  const hashing = new Hashing()
  const { started, work, end } = held()
  const all = ['a1', 'a2', 'b1', 'c1'].map((name) => hashing.inTurn(name.slice(0, 1), work(name)))
  await settled()
  expect(started).toEqual(['a1', 'b1'])
  end('b1')
  await settled()
  expect(started).toEqual(['a1', 'b1', 'c1'])
  end('c1')
  await settled()
  // The second request of an address waits for its first, although there is a free slot.
  expect(started).toHaveLength(3)
  end('a1')
  await settled()
  end('a2')
  await Promise.all(all)
})

it('lets one address fill only its own lane, and serves another address next', async () => {
  const hashing = new Hashing()
  const { started, work, end } = held()
  const flood = Array.from({ length: 200 }, (_, index) => hashing.inTurn('flood', work(`flood${index}`)))
  const outcomes = Promise.allSettled(flood)
  const other = hashing.inTurn('other', work('other'))
  await settled()
  expect(started).toEqual(['flood0', 'other'])
  end('other')
  await other
  for (let index = 0; index < 200; index += 1) {
    end(`flood${index}`)
    await settled()
  }
  const refused = (await outcomes).filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(200 - 1 - 16)
  expect(refused[0]).toMatchObject({ reason: { code: 'login_rate_limited' } })
})

it('frees its slot when work fails', async () => {
  const hashing = new Hashing()
  const failing = Array.from({ length: 6 }, (_, index) =>
    hashing.inTurn(`a${index}`, () => Promise.reject(new Error('broken'))),
  )
  await Promise.allSettled(failing)
  expect(await hashing.inTurn('a', async () => 'done')).toBe('done')
})
