import { describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeTenant } from '../../testing/factories/platform.ts'
import { acrossCompanies } from '../db/across-companies.ts'
import { type Fold, folding, foldOnce } from './fold-changes.ts'

const { db } = await createTestDatabase()
const fold: Fold = {
  changes: 'budget_changes',
  totals: 'budget_spend',
  key: { month: 'column' },
  sums: { micro: 'column' },
}
const change = (company_id: string, count: number, micro = 1) =>
  db
    .insertInto('budget_changes')
    .values(Array.from({ length: count }, () => ({ company_id, month: '2026-01-01', micro })))
    .execute()
const spent = async (companyId: string) => {
  const row = await db
    .selectFrom('budget_spend')
    .select('micro')
    .where('company_id', '=', companyId)
    .executeTakeFirst()
  return row?.micro ?? 0
}
const waiting = async () =>
  (await db.selectFrom('budget_changes').modifyFront(acrossCompanies('a test')).selectAll().execute()).length
const companies = async (count: number) => {
  const made = []
  for (let each = 0; each < count; each += 1) made.push((await makeTenant(db)).companyId)
  return made.toSorted()
}

describe('changes', () => {
  it('are added to the totals once, also by several loops at once', async () => {
    const [a = '', b = ''] = await companies(2)
    await change(a, 700)
    await change(a, 3, -100)
    await change(b, 5, 10)
    const counts = await Promise.all([1, 2, 3].map(() => folding(db, fold)()))
    counts.push(await folding(db, fold)())
    expect(counts.reduce((sum, { folded }) => sum + folded, 0)).toBe(708)
    expect([await spent(a), await spent(b), await waiting()]).toEqual([400, 50, 0])
  })

  it('of a company with many delay those of no other: each batch takes the same number of each', async () => {
    const [busy = '', ...quiet] = await companies(3)
    await change(busy, 1000)
    for (const each of quiet) await change(each, 1)
    const turns = { afterCompany: '', companies: 2, perCompany: 100 }
    expect(await foldOnce(db, fold, turns)).toEqual({ handled: 101, companies: [busy, quiet[0]] })
    const next = { ...turns, afterCompany: String(quiet[0]) }
    expect(await foldOnce(db, fold, next)).toEqual({ handled: 1, companies: [quiet[1]] })
    expect(await Promise.all([busy, ...quiet].map(spent))).toEqual([100, 1, 1])
    expect(await folding(db, fold)()).toEqual({ folded: 900 })
  })

  it('of more companies than one batch looks at are all folded in one round', async () => {
    const made = await companies(60)
    for (const each of made) await change(each, 1)
    expect(await folding(db, fold)()).toEqual({ folded: 60 })
    expect(await waiting()).toBe(0)
  })
})
