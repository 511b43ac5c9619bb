import { expect, it } from 'vitest'
import { FairLanes, type LaneBounds } from './fair-lanes.ts'

const bounds: LaneBounds = {
  laneWaitingMax: 3,
  waitingMax: 6,
  waitMs: 10_000,
  workingMax: 1,
  creditMs: 1000,
  creditMsPerSecond: 100,
}

function lanesOf(change: Partial<LaneBounds> = {}) {
  let nowMs = 0
  const lanes = new FairLanes<string>({ ...bounds, ...change }, () => nowMs)
  const take = (reserved = false) => lanes.take({ reserved })?.work
  const pass = (ms: number) => {
    nowMs += ms
  }
  /** Takes and charges all work in turn, each with this much processor time. */
  const all = (usedMs: number) => {
    const order: string[] = []
    for (let next = lanes.take({ reserved: false }); next; next = lanes.take({ reserved: false })) {
      order.push(next.work)
      lanes.charge(next.owner, usedMs)
    }
    return order
  }
  return { lanes, take, pass, all }
}

it('serves the owner that has used least, and each lane in order', () => {
  const { lanes, all } = lanesOf()
  for (const work of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) lanes.add(work.slice(0, 1), work)
  expect(all(100)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

it('serves a late owner before owners that have used much', () => {
  const { lanes, take, all } = lanesOf()
  for (const work of ['a1', 'a2', 'b1', 'b2']) lanes.add(work.slice(0, 1), work)
  expect([take(), take()]).toEqual(['a1', 'b1'])
  lanes.charge('a', 500)
  lanes.charge('b', 500)
  lanes.add('c', 'c1')
  expect(all(1)).toEqual(['c1', 'a2', 'b2'])
})

it('counts waiting time as credit, so that heavy users are served too', () => {
  const { lanes, take, pass } = lanesOf()
  lanes.add('a', 'a1')
  take()
  lanes.charge('a', 5000)
  lanes.add('a', 'a2')
  pass(6000)
  lanes.add('b', 'b1')
  expect(take()).toBe('a2')
})

it('refills an account over time up to its credit, and limits its debt', () => {
  const { lanes, take, pass } = lanesOf()
  lanes.add('a', 'a0')
  take()
  lanes.charge('a', 1_000_000)
  lanes.add('a', 'a1')
  expect(take(true)).toBeUndefined()
  pass(200_001)
  expect(take(true)).toBe('a1')
})

it('keeps the reserved slot for owners with credit and no work in progress', () => {
  const { lanes, take, pass } = lanesOf({ workingMax: 2 })
  lanes.add('a', 'a1')
  lanes.add('a', 'a2')
  expect(take()).toBe('a1')
  expect(take(true)).toBeUndefined()
  lanes.add('b', 'b1')
  expect(take(true)).toBe('b1')
  lanes.putBack('b', 'b1')
  lanes.charge('b', 10, true)
  expect(take(true)).toBeUndefined()
  expect(take()).toBe('b1')
  lanes.charge('b', 10)
  lanes.add('b', 'b2')
  pass(59_000)
  expect(take(true)).toBeUndefined()
  pass(2000)
  expect(take(true)).toBe('b2')
})

it('limits the work in progress of one owner', () => {
  const { lanes, take } = lanesOf()
  lanes.add('a', 'a1')
  lanes.add('a', 'a2')
  expect([take(), take()]).toEqual(['a1', undefined])
  lanes.charge('a', 1)
  expect(take()).toBe('a2')
})

it('refuses work past the bound of a lane, and drops from the longest lane past the total bound', () => {
  const { lanes, all } = lanesOf()
  const refused = ['a1', 'a2', 'a3', 'a4'].map((work) => lanes.add('a', work))
  expect(refused).toEqual([undefined, undefined, undefined, 'a4'])
  for (const work of ['b1', 'b2', 'c1']) expect(lanes.add(work.slice(0, 1), work)).toBeUndefined()
  expect(lanes.add('d', 'd1')).toBe('a3')
  expect(all(0)).toEqual(['a1', 'a2', 'b1', 'b2', 'c1', 'd1'])
})

it('drops the newest of equally long lanes, so that work that waits keeps its place', () => {
  const { lanes, pass, all } = lanesOf({ waitingMax: 4 })
  for (const work of ['a1', 'b1', 'c1', 'd1']) {
    lanes.add(work.slice(0, 1), work)
    pass(1)
  }
  expect(['e1', 'f1', 'a2'].map((work) => lanes.add(work.slice(0, 1), work))).toEqual(['e1', 'f1', 'a2'])
  expect(all(0)).toEqual(['a1', 'b1', 'c1', 'd1'])
  for (const work of ['a1', 'a2', 'b1', 'b2']) {
    lanes.add(work.slice(0, 1), work)
    pass(1)
  }
  expect(lanes.add('c', 'c1')).toBe('b2')
})

it('drops work that has waited too long', () => {
  const { lanes, pass, take } = lanesOf()
  lanes.add('a', 'a1')
  pass(6000)
  lanes.add('a', 'a2')
  pass(6000)
  expect(lanes.takeExpired()).toEqual(['a1'])
  expect(take()).toBe('a2')
})

it('forgets waiting work that is removed', () => {
  const { lanes, all } = lanesOf()
  for (const work of ['a1', 'a2', 'a3']) lanes.add('a', work)
  lanes.remove('a', 'a2')
  lanes.remove('b', 'b1')
  expect(lanes.add('a', 'a4')).toBeUndefined()
  expect(all(1)).toEqual(['a1', 'a3', 'a4'])
})
