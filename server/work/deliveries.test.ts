import { describe, expect, it } from 'vitest'
import { eventually } from '../../testing/eventually.ts'
import { currentDatabaseUse } from '../base/current-request.ts'
import { createLog } from '../base/logging.ts'
import type { ClaimShare } from './claim-due.ts'
import { Deliveries, type Slot } from './deliveries.ts'

type Lane = 'first' | 'slow'
interface Running {
  company: string
  databaseOwner: string | undefined
  place: Slot<Lane>
  end: () => void
}

/** Attempts of rows that wait in memory, each of which runs until it is ended. */
function bench(places = { all: 3, ofCompany: 2 }) {
  const waiting: { id: string; company_id: string }[] = []
  const running: Running[] = []
  /** Ids that were active, each time that claimed rows were taken back. */
  const takenBack: string[][] = []
  let isFailing = false
  let now = 0
  const claim = async (lane: Lane, { free, perCompany, inProgress }: ClaimShare) => {
    if (isFailing) throw new Error('connection lost')
    const claimed: typeof waiting = []
    if (lane === 'slow') return { claimed, lastCompany: '' }
    const taken = { ...inProgress }
    for (const row of [...waiting]) {
      if (claimed.length === free || (taken[row.company_id] ?? 0) >= perCompany) continue
      taken[row.company_id] = (taken[row.company_id] ?? 0) + 1
      claimed.push(row)
      waiting.splice(waiting.indexOf(row), 1)
    }
    return { claimed, lastCompany: '' }
  }
  const attempts = new Deliveries<Lane, { id: string; company_id: string }>({
    name: 'test',
    places: { first: places, slow: { all: 2, ofCompany: 1 } },
    claim,
    takeBack: async (active) => void takenBack.push(active),
    attempt: ({ company_id: company }, place) =>
      new Promise((resolve) => {
        running.push({ company, databaseOwner: currentDatabaseUse()?.owner, place, end: resolve })
      }),
    clock: { now: () => new Date(now) },
    log: createLog('test', 'silent'),
  })
  const add = (company_id: string, count: number) => {
    for (let each = 0; each < count; each += 1) waiting.push({ id: `${company_id} ${each}`, company_id })
  }
  const pass = (ms: number) => {
    now += ms
  }
  const fail = (value: boolean) => {
    isFailing = value
  }
  return { attempts, running, add, pass, takenBack, fail }
}

describe('attempts', () => {
  it('use the database as the company of their row', async () => {
    const { attempts, running, add } = bench()
    add('a', 1)
    add('b', 1)
    await attempts.claim()
    expect(running.map(({ databaseOwner }) => databaseOwner)).toEqual(['a', 'b'])
  })

  it('are at most those of the lane, and of each company those that one may have', async () => {
    const { attempts, running, add } = bench()
    add('a', 5)
    expect([await attempts.claim(), await attempts.claim()]).toEqual([2, 0])
    add('b', 5)
    expect([await attempts.claim(), await attempts.claim()]).toEqual([1, 0])
    running[0]?.end()
    await eventually(async () => expect(await attempts.claim()).toBe(1))
    expect(running.map(({ company }) => company).join('')).toMatch(/^aab[ab]$/)
  })

  it('that move free their place, and one that cannot move keeps it', async () => {
    const { attempts, running, add } = bench()
    add('a', 2)
    add('b', 3)
    await attempts.claim()
    expect(running.map(({ place }) => place.moveTo('slow'))).toEqual([true, false, true])
    expect(await attempts.claim()).toBe(1)
    add('c', 3)
    expect(await attempts.claim()).toBe(1)
    expect(await attempts.claim()).toBe(0)
    for (const { end } of running) end()
    await attempts.idle()
  })

  it('take back what is claimed and not in progress at the start, and where an answer was lost', async () => {
    const { attempts, running, add, takenBack, fail } = bench()
    add('a', 1)
    await attempts.claim()
    await attempts.claim()
    expect(takenBack).toEqual([[]])
    fail(true)
    await expect(attempts.claim()).rejects.toThrow('connection lost')
    fail(false)
    await attempts.claim()
    expect(takenBack).toEqual([[], ['a 0']])
    running[0]?.end()
    await attempts.idle()
  })

  it('of a company whose attempt has moved have one place, for ten minutes', async () => {
    const { attempts, running, add, pass } = bench()
    add('a', 1)
    await attempts.claim()
    running[0]?.place.moveTo('slow')
    running[0]?.end()
    await attempts.idle()
    add('a', 5)
    expect(await attempts.claim()).toBe(1)
    pass(600_001)
    expect(await attempts.claim()).toBe(1)
    for (const { end } of running) end()
    await attempts.idle()
  })
})
