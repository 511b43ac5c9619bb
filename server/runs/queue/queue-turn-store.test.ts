import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { cancelRun } from './cancel-run.ts'
import { claimNext } from './claim-store.ts'
import { requeue } from './claimed-run-store.ts'
import { dropIdleCompanies } from './queue-turn-store.ts'

const { db } = await createTestDatabase()

interface Company {
  companyId: string
  roomId: string
  task: RunnableTask
}

async function makeCompany(): Promise<Company> {
  const { companyId, roomId } = await makeTenant(db)
  return { companyId, roomId, task: await makeRunnableTask(db, companyId) }
}

const queue = ({ task, roomId }: Company) => makeRun(db, task, { chatroom_id: roomId })
const claim = () =>
  claimNext(db, { executor: 'w', worker: 'w', companyConcurrency: 50, capacity: runCapacity({ slots: 64 }) })

const hasTurn = async ({ companyId }: Company) =>
  (await db.selectFrom('queue_turns').select('company_id').where('company_id', '=', companyId).execute())
    .length === 1

let company: Company
beforeEach(async () => {
  await db
    .updateTable('runs')
    .set({ state: 'cancelled', terminal_at: new Date() })
    .where('terminal_at', 'is', null)
    .execute()
  company = await makeCompany()
})

describe('the turn of a company', () => {
  it('is there from its first queued run until a claim finds none left', async () => {
    expect(await hasTurn(company)).toBe(false)
    const id = await queue(company)
    expect(await hasTurn(company)).toBe(true)
    expect(await claim()).toMatchObject({ id })
    expect(await claim()).toBeUndefined()
    expect(await hasTurn(company)).toBe(false)
  })

  it('comes back with a run that is given back', async () => {
    await queue(company)
    const run = await claim()
    await claim()
    if (!run) throw new Error('nothing to claim')
    await requeue(db, run)
    expect(await claim()).toMatchObject({ id: run.id, fence: 2 })
  })

  it('is kept while a run of it is queued, and while one is being queued', async () => {
    const id = await queue(company)
    expect(await dropIdleCompanies(db, [company.companyId])).toBe(0)
    await cancelRun(db, { id, company_id: company.companyId })
    await db.transaction().execute(async (trx) => {
      const {
        id: runId,
        lane: _,
        ...row
      } = await trx.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      const fresh = { ...row, state: 'queued', terminal_at: null, error_code: '', failure_stage: '' }
      await trx
        .insertInto('runs')
        .values({ ...fresh, id: `${runId}x` })
        .execute()
      expect(await dropIdleCompanies(db, [company.companyId])).toBe(0)
    })
    expect(await claim()).toMatchObject({ id: `${id}x` })
  })

  it('is not kept from others by hundreds who have nothing queued any more', async () => {
    const queueAndCancel = async () => {
      const other = await makeCompany()
      await cancelRun(db, { id: await queue(other), company_id: other.companyId })
    }
    await Promise.all(Array.from({ length: 150 }, queueAndCancel))
    const id = await queue(company)
    expect(await claim()).toMatchObject({ id })
  })
})

it('gives every run to one worker while others queue and claim', async () => {
  const companies = await Promise.all(Array.from({ length: 5 }, makeCompany))
  const queued: string[] = []
  const claimed: string[] = []
  const submitter = async (of: Company) => {
    for (let count = 0; count < 10; count += 1) queued.push(await queue(of))
  }
  let over = false
  const worker = async () => {
    for (;;) {
      const last = over
      const run = await claim()
      if (run) claimed.push(run.id)
      else if (last) return
    }
  }
  const workers = Promise.all([worker(), worker(), worker()])
  await Promise.all(companies.map(submitter))
  over = true
  await workers
  expect(claimed.toSorted()).toEqual(queued.toSorted())
})
