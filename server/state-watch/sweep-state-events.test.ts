import { expect, it } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeTenant } from '../../testing/factories/platform.ts'
import { listKeptKinds, recountKeptBytes } from '../companies/storage/kept-bytes-store.ts'
import { sweepStateEvents } from './sweep-state-events.ts'

const { db } = await createTestDatabase()
const now = new Date('2026-06-01T00:00:00Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)

it('removes what changed a month ago, with its bytes, and leaves the events of runs', async () => {
  const { companyId } = await makeTenant(db)
  const events = [
    { company_id: companyId, entity: 'task', entity_id: 'old', at: daysAgo(31) },
    { company_id: companyId, entity: 'task', entity_id: 'recent', at: daysAgo(29) },
    { company_id: companyId, entity: 'run', entity_id: 'run', at: daysAgo(31) },
    { company_id: null, entity: 'environment', entity_id: 'curated', at: daysAgo(31) },
  ]
  const named = events.map((event) => ({ from_state: 'active', to_state: 'archived', ...event }))
  await db.insertInto('state_events').values(named).execute()
  const counted = async () =>
    (await listKeptKinds(db, companyId)).find(({ kind }) => kind === 'state_events')?.bytes
  expect(await counted()).toBe(2 * 320)

  expect(await sweepStateEvents({ db, clock: { now: () => now } })).toEqual({ events: 2 })
  const left = db.selectFrom('state_events').select('entity_id').where('company_id', '=', companyId)
  expect(await left.orderBy('id').execute()).toEqual([{ entity_id: 'recent' }, { entity_id: 'run' }])
  expect(await counted()).toBe(320)
  expect(await recountKeptBytes(db)).toEqual([])
})
