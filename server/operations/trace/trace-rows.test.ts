import { expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeBuildAttempt } from '../../../testing/factories/build-attempt.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { actingAs } from '../../base/current-request.ts'
import { newRequestId } from '../../base/ids.ts'
import { chainAudit } from '../audit/chain-audit.ts'
import { traceRows } from './trace-rows.ts'

const { db } = await createTestDatabase()
const textsOf = async (...args: Parameters<typeof traceRows>) => {
  const traced = await traceRows(...args)
  return traced.map(({ source, text }) => `${source} ${text}`)
}
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000)

test('a run is followed from the queue to its end, without its input', async () => {
  const { companyId, roomId } = await makeTenant(db)
  const task = await makeRunnableTask(db, companyId)
  const ended = {
    state: 'customer_failed',
    error_code: 'work_exit_nonzero',
    exit_code: 3,
    queued_at: secondsAgo(9),
    claimed_at: secondsAgo(8),
    started_at: secondsAgo(7),
    terminal_at: secondsAgo(6),
  } as const
  const run = await makeRun(db, task, { chatroom_id: roomId, ...ended }, Buffer.from('{"a":"sbx_input"}'))
  expect(await textsOf(db, run, [])).toEqual(
    expect.arrayContaining(['runs queued', 'runs claimed', 'runs started', 'runs ended as customer_failed']),
  )
  const traced = await traceRows(db, run, [])
  expect(traced.find(({ text }) => text.startsWith('ended'))?.fields).toEqual({
    run,
    error_code: 'work_exit_nonzero',
    exit_code: 3,
  })
  expect(JSON.stringify(traced)).not.toContain('sbx_input')
})

test('a build is followed through its stages', async () => {
  const { companyId } = await makeTenant(db)
  const { id } = await makeBuildAttempt(db, { companyId })
  await db
    .insertInto('build_stages')
    .values({
      attempt_id: id,
      company_id: companyId,
      stage: 'customer_build',
      ended_at: new Date(),
      outcome: 'failed',
    })
    .execute()
  expect(await textsOf(db, id, [])).toEqual(
    expect.arrayContaining([
      'builds queued',
      'builds stage customer_build started',
      'builds stage customer_build failed',
    ]),
  )
})

test('a request is followed to what it changed, by its time in a log or without one', async () => {
  const { companyId: company } = await makeTenant(db)
  const request_id = newRequestId()
  const acting = { action: 'updateCompany', actor_type: 'user', actor_id: 'usr_1', request_id } as const
  await actingAs(acting, () =>
    db
      .updateTable('companies')
      .set({ name: `${company} b` })
      .where('id', '=', company)
      .execute(),
  )
  await chainAudit(db)
  const line = { at: new Date(), source: 'api', text: 'request', fields: { company } }
  for (const logged of [[line], []]) {
    const [entry, ...others] = await traceRows(db, request_id, logged)
    expect(others).toEqual([])
    expect(entry).toMatchObject({
      source: 'audit',
      text: 'update company',
      fields: { object: company, action: 'updateCompany', actor: 'user usr_1', request: request_id },
    })
  }
  const longAgo = { ...line, at: secondsAgo(86_400) }
  expect(await traceRows(db, request_id, [longAgo])).toEqual([])
})

test('an id of nothing has no rows', async () => {
  for (const id of [`run_${newRequestId()}`, `bld_${newRequestId()}`, newRequestId()])
    expect(await traceRows(db, id, [])).toEqual([])
})
