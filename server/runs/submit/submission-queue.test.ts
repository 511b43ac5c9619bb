import { randomUUID } from 'node:crypto'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { stageInput } from '../../base/json/staged-input.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { setOperatorPolicy } from '../../companies/settings/operator-policy.ts'
import { queuePolicy } from '../queue/queue-policy.ts'
import type { NewRun } from './locked-queues.ts'
import { type QueueRequest, SubmissionQueue } from './submission-queue.ts'

const { db } = await createTestDatabase()
const hosted = queuePolicy('hosted', runCapacity({ slots: 16 }))

/** Asks for runs of a company of its own. */
async function makeAsker() {
  const tenant = await makeTenant(db)
  const task = await makeRunnableTask(db, tenant.companyId)
  const run: NewRun = {
    principal: tenant.member,
    chatroomId: tenant.roomId,
    version: { id: task.versionId, task_id: task.taskId, environment_version_id: task.environmentVersionId },
    resourceProfile: 'standard',
    shareGrantId: task.shareGrantId,
    input: stageInput({}),
    timeoutSeconds: 60,
    source: 'rest',
  }
  const ask = (
    fields: Partial<NewRun> = {},
    key: string = randomUUID(),
    requestHash = 'same',
  ): QueueRequest => ({
    intent: {
      scope: { companyId: tenant.companyId, principalId: tenant.member.principalId, route: 'r', key },
      requestHash,
    },
    run: { ...run, ...fields },
  })
  return { companyId: tenant.companyId, ask }
}

type Asker = Awaited<ReturnType<typeof makeAsker>>
let one: Asker
let other: Asker

beforeEach(async () => {
  one = await makeAsker()
  other = await makeAsker()
})

const queuedOf = async (companyId: string) =>
  (await db.selectFrom('runs').select('id').where('company_id', '=', companyId).execute()).length

const submit = (queue: SubmissionQueue, requests: QueueRequest[]) =>
  Promise.allSettled(
    requests.map(async (request): Promise<RunDetail> => JSON.parse((await queue.enqueue(request)).text)),
  )

describe('submissions of one moment', () => {
  it('each get a run and the next place of their own company', async () => {
    const answers = await submit(new SubmissionQueue(db, hosted), [
      one.ask(),
      other.ask(),
      one.ask(),
      one.ask(),
    ])
    const places = answers.map((answer) => answer.status === 'fulfilled' && answer.value.queue_position)
    expect(places).toEqual([1, 1, 2, 3])
  })

  it('are refused each for itself', async () => {
    const queue = new SubmissionQueue(db, { ...hosted, companyQueued: 2 })
    const answers = await submit(queue, [one.ask(), one.ask(), one.ask(), other.ask(), one.ask()])
    expect(answers.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ])
    expect(answers[2]).toMatchObject({ reason: { code: 'sandbox_queued_run_limit', detail: { limit: 2 } } })
    expect([await queuedOf(one.companyId), await queuedOf(other.companyId)]).toEqual([2, 1])
  })

  it('are bounded by what the operator has set for the company', async () => {
    const { companyId } = one
    await setOperatorPolicy({ db, deployment: 'hosted' }, companyId, { queued_run_limit: 1 })
    const answers = await submit(new SubmissionQueue(db, hosted), [one.ask(), one.ask(), other.ask()])
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(answers[1]).toMatchObject({ reason: { code: 'sandbox_queued_run_limit', detail: { limit: 1 } } })
  })

  it('are twins when they have one key: the second has the answer of the first, or a conflict', async () => {
    const [first, second, third] = await submit(new SubmissionQueue(db, hosted), [
      one.ask({}, 'k'),
      one.ask({}, 'k'),
      one.ask({}, 'k', 'another'),
    ])
    expect(second).toEqual(first)
    expect(third).toMatchObject({ reason: { code: 'idempotency_conflict' } })
    expect(await queuedOf(one.companyId)).toBe(1)
  })

  it('keep bounds and keys however many processes take them', async () => {
    const policy = { ...queuePolicy('onprem', runCapacity({ slots: 4 })), companyQueued: 20 }
    const fleet = { ...policy, host: { companyQueued: 20, fleetQueued: (await queuedInAll()) + 5 } }
    const processes = Array.from({ length: 3 }, () => new SubmissionQueue(db, fleet))
    const answers = (
      await Promise.all(
        processes.map((queue, at) =>
          submit(
            queue,
            Array.from({ length: 6 }, (_, n) =>
              (n % 2 ? one : other).ask({}, `${at < 2 ? 'twin' : at}-${n}`),
            ),
          ),
        ),
      )
    ).flat()
    const made = new Set(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.id : '')))
    made.delete('')
    expect(made.size).toBe(5)
    expect((await queuedOf(one.companyId)) + (await queuedOf(other.companyId))).toBe(5)
  })

  it('are tried alone when one of them breaks the statement', async () => {
    const broken = one.ask({ shareGrantId: 'shg_nowhere' })
    const answers = await submit(new SubmissionQueue(db, hosted), [one.ask(), broken, other.ask()])
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect([await queuedOf(one.companyId), await queuedOf(other.companyId)]).toEqual([1, 1])
  })
})

async function queuedInAll(): Promise<number> {
  return (await db.selectFrom('runs').select('id').where('state', '=', 'queued').execute()).length
}
