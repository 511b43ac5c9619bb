import { catalogue, type ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { errorsOf } from '@sandbox-jobs/contract/routes/implied-errors.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/test-database.ts'
import { World } from '../world.ts'
import { environmentProvocations } from './environment-provocations.ts'
import { type Provocation, Scene } from './provocation.ts'
import { requestProvocations } from './request-provocations.ts'
import { runProvocations } from './run-provocations.ts'
import { taskProvocations } from './task-provocations.ts'
import { unprovokedCodes } from './unprovoked-codes.ts'

/* Every code of the catalogue is provoked by a request, or stands among those that cannot be, with a reason. */
const provocations = {
  ...requestProvocations,
  ...environmentProvocations,
  ...taskProvocations,
  ...runProvocations,
}
const { url } = await createTestDatabase()
let world: World

beforeAll(async () => {
  world = await World.make(url)
})
afterAll(async () => {
  await world.close()
  const counts = [provocations, unprovokedCodes].map((codes) => Object.keys(codes).length)
  console.log(`errors: ${counts[0]} codes provoked, ${counts[1]} with a reason why not`)
})

test('every code is provoked or has a reason why not', () => {
  const known = [...Object.keys(provocations), ...Object.keys(unprovokedCodes)]
  expect(known.toSorted()).toEqual(Object.keys(catalogue).toSorted())
})

test.each(Object.entries(provocations) as [ErrorCode, Provocation][])('%s', async (code, provoke) => {
  const { route, answer } = await world.rewind(() => provoke(new Scene(world)))
  const { detail } = answer.json()
  expect([answer.statusCode, detail.code, detail.message]).toEqual([
    catalogue[code].status,
    code,
    catalogue[code].message,
  ])
  expect(errorsOf(route)).toContain(code)
  if (detail.retry_after_seconds !== undefined) {
    expect(answer.headers['retry-after']).toBe(String(detail.retry_after_seconds))
  }
})
