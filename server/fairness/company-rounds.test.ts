import { expect, it } from 'vitest'
import { CompanyRounds } from './company-rounds.ts'

/** Companies with some work each, of which a round takes one piece from the next two. */
function rounds(waiting: Record<string, number>) {
  const served: string[][] = []
  const all = new CompanyRounds(2, async (after) => {
    const companies = Object.keys(waiting)
      .filter((id) => id > after && (waiting[id] ?? 0) > 0)
      .slice(0, 2)
    for (const id of companies) waiting[id] = (waiting[id] ?? 0) - 1
    served.push(companies)
    return { handled: companies.length, companies }
  })
  return { all, served }
}

it('gives each company its turn before one has another', async () => {
  const { all, served } = rounds({ a: 3, b: 1, c: 2 })
  expect(await all.all()).toBe(6)
  expect(served.slice(0, 3)).toEqual([['a', 'b'], ['c'], ['a', 'c']])
})

it('ends where all that is left has to wait', async () => {
  let asked = 0
  const stuck = new CompanyRounds(2, async () => {
    asked += 1
    return { handled: 0, companies: ['a'] }
  })
  expect(await stuck.all()).toBe(0)
  expect(asked).toBe(1)
})

it('ends with the signal', async () => {
  const stopping = new AbortController()
  const endless = new CompanyRounds(1, async () => {
    stopping.abort()
    return { handled: 1, companies: ['a'] }
  })
  expect(await endless.all(stopping.signal)).toBe(1)
})
