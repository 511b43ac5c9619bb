import { catalogue } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../testing/test-database.ts'
import { idsFor, parametersOf, variantsOf } from './example-ids.ts'
import { exampleCall, expectations } from './expectations.ts'
import { type Cell, expectedStatus } from './expected-status.ts'
import { callers, World } from './world.ts'

/*
 * Every route by every kind of caller by own, foreign, absent and malformed ids, compared with what
 * expectations.ts says of the contract. Each cell meets the world as it was made.
 */
const routes = Object.entries<Route>(allRoutes)
const { url } = await createTestDatabase()
let world: World
let cells = 0

beforeAll(async () => {
  world = await World.make(url)
})
afterAll(async () => {
  await world.close()
  console.log(`matrix: ${routes.length} routes, ${callers.length} kinds of caller, ${cells} cells`)
})

test('every route has an expectation, and every expectation a route', () => {
  expect(Object.keys(expectations).sort()).toEqual(Object.keys(allRoutes).sort())
})

test.each(routes)('%s answers every kind of caller as the contract says', async (name, route) => {
  const expectation = expectations[name]
  if (!expectation) throw new Error(`no expectation for ${name}`)
  const parameters = parametersOf(route, expectation)
  const wrong: string[] = []
  for (const variant of variantsOf(parameters)) {
    for (const caller of callers) {
      // What is foreign to us is that company's own.
      if (caller === 'otherCompany' && variant.kind === 'foreign') continue
      cells += 1
      const cell = { route, expectation, caller, variant }
      const answer = await world.rewind(() => ask(cell, idsFor(parameters, variant, world)))
      const expected = expectedStatus(cell)
      const said = `${caller}, ${variant.parameter || 'all'} ${variant.kind}: ${answer.statusCode} ${answer.body.slice(0, 200)}`
      if (answer.statusCode !== expected) wrong.push(`${said}, not ${expected}`)
      else if (!isWellFormed(answer)) wrong.push(`${said}, of another form`)
    }
  }
  expect(wrong).toEqual([])
})

async function ask({ route, expectation, caller }: Cell, params: Record<string, string>) {
  if (caller === 'sandboxKeyInside' && params.rid) await giveRunToKey(params.rid)
  const estate = caller === 'otherCompany' && !route.params ? world.foreign : world.own
  return world.send(caller, route, { params, ...exampleCall(expectation, estate) })
}

/** A key of sandbox scope sees what it submitted, and nothing else. */
async function giveRunToKey(run: string) {
  const { db } = world.database
  const key = db.selectFrom('api_keys').select('id').where('name', '=', 'inside')
  await db
    .updateTable('runs')
    .set({ api_key_id: key, auth_method: 'api_key' })
    .where('id', '=', run)
    .execute()
}

const notFound = { detail: { code: 'not_found', message: catalogue.not_found.message } }

/** Refusals have one form each; what is hidden is told in exactly the words of what is absent. */
function isWellFormed({ statusCode, headers, body }: LightMyRequestResponse): boolean {
  if (statusCode === 200) return true
  const { detail } = JSON.parse(body) as { detail: unknown }
  if (statusCode === 404) return body === JSON.stringify(notFound)
  if (statusCode === 418) return headers['www-authenticate'] === 'Bearer' && typeof detail === 'string'
  if (statusCode === 422) return Array.isArray(detail)
  return typeof detail === 'string' || (detail instanceof Object && 'code' in detail)
}

test.each(routes.filter(([, route]) => route.restrictedKey === 'own' && route.path.includes('{rid}')))(
  '%s hides runs that somebody else submitted from a key of sandbox scope',
  async (name, route) => {
    const expectation = expectations[name]
    if (!expectation) throw new Error(`no expectation for ${name}`)
    const params = idsFor(parametersOf(route, expectation), { parameter: '', kind: 'own' }, world)
    const answer = await world.rewind(() => world.send('sandboxKeyInside', route, { params }))
    expect([answer.statusCode, answer.body]).toEqual([404, JSON.stringify(notFound)])
  },
)
