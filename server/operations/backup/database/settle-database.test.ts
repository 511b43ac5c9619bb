import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ScheduleSteps } from '../../../../testing/apps/steps/schedule-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { systemClock } from '../../../base/clock.ts'
import { makeCode, signInByCode } from '../../operator-sign-ins/operator-sign-ins.ts'
import { settleDatabase } from './load-database.ts'

const { db } = await createTestDatabase()
const steps = new ScheduleSteps(new TestApi(db))

test('ticks that came before a database was recovered start nothing afterwards', async () => {
  const offered = await steps.offer(db)
  await steps.mustCreate(offered, { missed: 'once' })
  const ofCompany = sql`where company_id = ${offered.tenant.companyId}`
  await sql`update schedules set since = now() - interval '2 h', next_at = now() - interval '1 h',
    look_at = now() - interval '1 h' ${ofCompany}`.execute(db)
  await settleDatabase(db)
  const { rows } = await sql`select next_at <= since as "isSkipped" from schedules ${ofCompany}`.execute(db)
  expect(rows).toEqual([{ isSkipped: true }])
})

test('nobody is signed in to the operator console of a recovered database, and no code signs in', async () => {
  const services = { db, clock: systemClock }
  await signInByCode(services, await makeCode(services, { account: 'grace', access: 'full' }))
  await makeCode(services, { account: 'grace', access: 'full' })
  await settleDatabase(db)
  const { rows } = await sql`
    select account from operator_sign_ins union all select account from operator_codes`.execute(db)
  expect(rows).toEqual([])
})
