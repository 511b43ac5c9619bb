import { beforeEach, expect, it } from 'vitest'
import { EventStreams } from '../../../testing/apps/event-streams.ts'
import { countStatements } from '../../../testing/database/count-statements.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRoom } from '../../../testing/factories/platform.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { addMember, makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import type { Principal } from '../../access/principal.ts'
import { cancelRun } from '../../runs/queue/cancel-run.ts'

const { db, url } = await createTestDatabase()
const counted = countStatements(db)
const streams = new EventStreams({ db: counted.db, url })
let tenant: Tenant
let task: RunnableTask

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
})

const follow = async (principal: Principal, current = async () => principal) =>
  (await streams.follow(principal, 'room:*', current)).next
const queue = (chatroom_id = tenant.roomId) => makeRun(db, task, { chatroom_id })
const cancel = (id: string) => cancelRun(db, { id, company_id: tenant.companyId })

it('what changes in a company is read once for all of its streams', async () => {
  const people = [tenant.member, tenant.companyManager]
  const pages = await Promise.all(
    Array.from({ length: 60 }, (_, at) =>
      follow({ ...(people[at % 2] as Principal), signInId: `sgn_${at}` }),
    ),
  )
  expect(counted.take().filter((text) => text.includes('state_watches'))).toHaveLength(1)
  const changes = [await queue(), await queue(), await queue()]
  for (const id of changes) {
    const events = pages.map((next) => next())
    await cancel(id)
    for (const event of await Promise.all(events)) expect(event).toMatchObject({ kind: 'run', id })
  }
  expect(counted.take().filter((text) => text.includes('from "runs"'))).toHaveLength(changes.length)
})

it('a person who joins a room misses none of its changes', async () => {
  const room = await makeRoom(db, tenant)
  let member = tenant.member
  const next = await follow(member, async () => member)
  const [joined, first, second] = [await queue(room), await queue(), await queue()]
  await cancel(first)
  expect(await next()).toMatchObject({ id: first })
  const following = next()
  await cancel(joined)
  await addMember(db, { companyId: tenant.companyId, roomId: room, userId: member.principalId })
  member = { ...member }
  await cancel(second)
  expect(
    [await following, await next()].map((event) => event?.kind === 'run' && event.id).toSorted(),
  ).toEqual([joined, second].toSorted())
})

it('a failed reading ends the streams, and the next ones are read again', async () => {
  const next = await follow(tenant.companyManager)
  counted.failNext()
  const ended = next()
  await cancel(await queue())
  await expect(ended).rejects.toThrow('planted')
  const again = await follow(tenant.companyManager)
  const id = await queue()
  const event = again()
  await cancel(id)
  expect(await event).toMatchObject({ id })
})
