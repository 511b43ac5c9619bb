import { catalogue, type ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { errorsOf } from '@sandbox-jobs/contract/routes/implied-errors.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { World } from '../world.ts'
import { codesWithoutScenario } from './codes-without-scenario.ts'
import { doorScenarios } from './door-scenarios.ts'
import { environmentScenarios } from './environment-scenarios.ts'
import { type ErrorScenario, ScenarioContext } from './error-scenario.ts'
import { notificationScenarios } from './notification-scenarios.ts'
import { proposalScenarios } from './proposal-scenarios.ts'
import { requestScenarios } from './request-scenarios.ts'
import { runScenarios } from './run-scenarios.ts'
import { scheduleScenarios } from './schedule-scenarios.ts'
import { secretScenarios } from './secret-scenarios.ts'
import { sessionScenarios } from './session-scenarios.ts'
import { tableScenarios } from './table-scenarios.ts'
import { taskScenarios } from './task-scenarios.ts'

/* Every code of the catalogue has an error scenario, or a reason why not. */
const scenarios = {
  ...requestScenarios,
  ...sessionScenarios,
  ...environmentScenarios,
  ...taskScenarios,
  ...runScenarios,
  ...secretScenarios,
  ...tableScenarios,
  ...proposalScenarios,
  ...notificationScenarios,
  ...doorScenarios,
  ...scheduleScenarios,
}
const { url } = await createTestDatabase()
let world: World

beforeAll(async () => {
  world = await World.make(url)
})
afterAll(async () => {
  await world.close()
  const counts = [scenarios, codesWithoutScenario].map((codes) => Object.keys(codes).length)
  console.log(`errors: ${counts[0]} codes with a scenario, ${counts[1]} with a reason why not`)
})

test('every code has a scenario or a reason why not', () => {
  const known = [...Object.keys(scenarios), ...Object.keys(codesWithoutScenario)]
  expect(known.toSorted()).toEqual(Object.keys(catalogue).toSorted())
})

test.each(Object.entries(scenarios) as [ErrorCode, ErrorScenario][])('%s', async (code, scenario) => {
  const { route, answer } = await world.rewind(() => scenario(new ScenarioContext(world)))
  const { detail } = answer.json()
  const { status, message } = catalogue[code]
  // An answer may add facts of its case, such as amounts.
  expect([answer.statusCode, detail.code, detail.message.slice(0, message.length)]).toEqual([
    status,
    code,
    message,
  ])
  expect(errorsOf(route)).toContain(code)
  if (detail.retry_after_seconds !== undefined) {
    expect(answer.headers['retry-after']).toBe(String(detail.retry_after_seconds))
  }
})
