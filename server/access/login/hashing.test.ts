import { expect, it } from 'vitest'
import { Hashing, type HashOwner } from './hashing.ts'

const stranger = (id: string): HashOwner => ({ id, isKnown: false })
const known = (id: string): HashOwner => ({ id, isKnown: true })

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
  const all = ['a1', 'a2', 'b1', 'c1'].map((name) => hashing.inTurn(stranger(name.slice(0, 1)), work(name)))
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
  const flood = Array.from({ length: 200 }, (_, index) =>
    hashing.inTurn(stranger('flood'), work(`flood${index}`)),
  )
  const outcomes = Promise.allSettled(flood)
  const other = hashing.inTurn(stranger('other'), work('other'))
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
    hashing.inTurn(stranger(`a${index}`), () => Promise.reject(new Error('broken'))),
  )
  await Promise.allSettled(failing)
  expect(await hashing.inTurn(stranger('a'), async () => 'done')).toBe('done')
})

it('keeps places for known owners and serves them first, however many strangers wait', async () => {
  const hashing = new Hashing()
  const { started, work, end } = held()
  const strangers = Array.from({ length: 80 }, (_, at) => hashing.inTurn(stranger(`s${at}`), work(`s${at}`)))
  const outcomes = Promise.allSettled(strangers)
  const ours = ['k1', 'k2'].map((name) => hashing.inTurn(known(name), work(name)))
  await settled()
  expect(started).toEqual(['s0', 's1'])
  end('s0')
  await settled()
  expect(started).toEqual(['s0', 's1', 'k1'])
  // One of the two hashes is left to strangers.
  end('s1')
  await settled()
  expect(started).toEqual(['s0', 's1', 'k1', 's2'])
  end('k1')
  await settled()
  end('k2')
  await Promise.all(ours)
  for (let at = 2; at < 80; at += 1) {
    end(`s${at}`)
    await settled()
  }
  const refused = (await outcomes).flatMap(({ status }, at) => (status === 'rejected' ? [at] : []))
  // Two run and 48 wait: those that came later are refused, not those that have waited longest.
  expect(refused).toEqual(Array.from({ length: 30 }, (_, at) => 50 + at))
})

it('lets known owners fill only their own places', async () => {
  const hashing = new Hashing()
  const { started, work, end } = held()
  const ours = Array.from({ length: 40 }, (_, at) => hashing.inTurn(known(`k${at}`), work(`k${at}`)))
  const outcomes = Promise.allSettled(ours)
  const other = hashing.inTurn(stranger('other'), work('other'))
  await settled()
  expect(started).toEqual(['k0', 'k1'])
  end('k0')
  await settled()
  expect(started).toEqual(['k0', 'k1', 'other'])
  end('other')
  await other
  for (let at = 1; at < 40; at += 1) {
    end(`k${at}`)
    await settled()
  }
  expect((await outcomes).filter(({ status }) => status === 'fulfilled')).toHaveLength(2 + 16)
})
