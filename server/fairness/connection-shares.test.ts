import { expect, it } from 'vitest'
import { ConnectionShares } from './connection-shares.ts'

/** Takes or waits for connections of owners, by name; `undefined` is the service. */
function sharesOf(all: number) {
  const shares = new ConnectionShares(all)
  const given: string[] = []
  const ask = (owner: string | undefined, count = 1) => {
    for (let at = 0; at < count; at += 1) {
      const waiting = () => void given.push(owner ?? 'service')
      if (shares.take(owner)) waiting()
      else shares.wait(owner, waiting)
    }
  }
  const heldBy = (owner: string) => given.filter((each) => each === owner).length
  return { shares, given, ask, heldBy }
}

it('gives an owner that is alone two thirds, so that the next one waits for nobody', () => {
  const { given, ask, heldBy } = sharesOf(12)
  ask('a', 300)
  expect(heldBy('a')).toBe(8)
  ask('b')
  expect(heldBy('b')).toBe(1)
  expect(given).toHaveLength(9)
})

it('gives an owner a third while it is not alone', () => {
  const { shares, ask, heldBy } = sharesOf(12)
  ask('b')
  ask('a', 300)
  expect(heldBy('a')).toBe(4)
  ask('b', 300)
  expect(heldBy('b')).toBe(4)
  // An owner that has more than its share gets no other one for it.
  for (let at = 0; at < 100; at += 1) {
    shares.release('a')
    shares.release('b')
  }
  expect([heldBy('a'), heldBy('b')]).toEqual([104, 104])
})

it('takes back what an owner has beyond its share as it is released', () => {
  const { shares, ask, heldBy } = sharesOf(12)
  ask('a', 300)
  ask('b', 300)
  expect([heldBy('a'), heldBy('b')]).toEqual([8, 2])
  for (let at = 0; at < 4; at += 1) shares.release('a')
  expect([heldBy('a'), heldBy('b')]).toEqual([8, 4])
})

it('gives each of many owners an equal part, in turn', () => {
  const { shares, given, ask } = sharesOf(12)
  const owners = Array.from({ length: 20 }, (_, at) => `o${at}`)
  for (const owner of owners) ask(owner, 100)
  // The one that has a connection for longest gives it back.
  for (let at = 0; at < 140; at += 1) shares.release(given[at])
  const late = given.slice(40, 140)
  expect(owners.map((owner) => late.filter((each) => each === owner).length)).toEqual(owners.map(() => 5))
})

it('serves the service first, from connections that no owner gets', () => {
  const { shares, given, ask, heldBy } = sharesOf(12)
  for (const owner of ['a', 'b', 'c', 'd', 'e']) ask(owner, 10)
  expect(given).toHaveLength(10)
  ask(undefined, 4)
  expect(heldBy('service')).toBe(2)
  shares.release('a')
  shares.release('b')
  expect(heldBy('service')).toBe(4)
})

it('gives one connection to everybody in turn where there is only one', () => {
  const { shares, given, ask } = sharesOf(1)
  ask('a')
  ask('a')
  ask('b')
  ask(undefined)
  for (const owner of ['a', undefined, 'a']) shares.release(owner)
  expect(given).toEqual(['a', 'service', 'a', 'b'])
})

it('gives nothing to who has stopped waiting, and more to who is alone again', () => {
  const { shares, ask, heldBy } = sharesOf(12)
  ask('b')
  ask('a', 10)
  const waiting = () => expect.unreachable()
  shares.wait('b', waiting)
  shares.leave('b', waiting)
  expect(heldBy('a')).toBe(4)
  shares.release('b')
  expect(heldBy('a')).toBe(8)
})
