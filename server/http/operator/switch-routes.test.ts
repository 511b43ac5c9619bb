import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import { afterEach, expect, it } from 'vitest'
import { TestOperatorConsole } from '../../../testing/apps/test-operator-console.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { systemClock } from '../../base/clock.ts'
import { readAuditLog } from '../../operations/audit/audit-log.ts'
import { acceptChanges, stoppedSince } from '../../operations/kill-switch/kill-switch.ts'

const { db } = await createTestDatabase()
const operators = new TestOperatorConsole(db, systemClock)
const cookie = await operators.signedIn()
afterEach(() => acceptChanges(db))

const send = (route: { method: 'PUT' | 'POST'; path: string }, payload: object, as = cookie) =>
  operators.send({ method: route.method, url: route.path, payload, headers: { cookie: as } })

it('stops and accepts all changes, each with its reason in the log', async () => {
  expect((await send(operatorRoutes.turnSwitchOn, { reason: 'A leak.' })).statusCode).toBe(200)
  const since = await stoppedSince(db)
  expect(since).not.toBeNull()
  // Repeating it is harmless.
  expect((await send(operatorRoutes.turnSwitchOn, { reason: 'Again.' })).statusCode).toBe(200)
  expect(await stoppedSince(db)).toEqual(since)
  expect((await send(operatorRoutes.turnSwitchOff, { reason: 'It is closed.' })).statusCode).toBe(200)
  expect(await stoppedSince(db)).toBeNull()
  const { items } = await readAuditLog(db, 3)
  expect(items.map(({ act, details }) => [act, (details as { reason: string }).reason])).toEqual([
    ['kill_switch_off', 'It is closed.'],
    ['kill_switch_on', 'Again.'],
    ['kill_switch_on', 'A leak.'],
  ])
})

it.each([{}, { reason: ' ' }, { reason: 'why', minutes: 5 }])('refuses %j', async (payload) => {
  expect((await send(operatorRoutes.turnSwitchOn, payload)).statusCode).toBe(422)
  expect(await stoppedSince(db)).toBeNull()
})

it('a read-only sign-in changes nothing', async () => {
  const as = await operators.signedIn('read_only')
  for (const route of [operatorRoutes.turnSwitchOn, operatorRoutes.turnSwitchOff])
    expect((await send(route, { reason: 'why' }, as)).json().detail.code).toBe('operator_read_only')
  expect(await stoppedSince(db)).toBeNull()
})
