import { actions } from '@sandbox-jobs/contract/access/actions.ts'
import { catalogue } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { idsFor, parametersOf, variantsOf } from './example-ids.ts'
import type { Expectation } from './expectations/expectation.ts'
import { expectations } from './expectations/index.ts'
import { expectedAnswer, isExpected } from './expected-answer.ts'
import { sendCell } from './send-cell.ts'
import { callers, World } from './world.ts'

/*
 * Every route for every kind of caller with own, foreign, absent and malformed ids, compared with the table in
 * `contract/access`. Each cell runs against the initial world.
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

test.each(routes)('%s answers every kind of caller as the table says', async (name, route) => {
  const expectation = expectations[name]
  if (!expectation) throw new Error(`no expectation for ${name}`)
  const parameters = parametersOf(route, expectation)
  const wrong: string[] = []
  for (const variant of variantsOf(parameters)) {
    for (const caller of callers) {
      // Foreign ids are that company's own ids.
      if (caller === 'otherCompany' && variant.kind === 'foreign') continue
      cells += 1
      const cell = { route, expectation, caller, variant }
      const answer = await world.rewind(() => sendCell(world, cell, idsFor(parameters, variant, world)))
      const expected = expectedAnswer(cell)
      const said = `${caller}, ${variant.parameter || 'all'} ${variant.kind}: ${answer.statusCode} ${answer.body.slice(0, 200)}`
      if (!isExpected(expected, answer)) wrong.push(`${said}, not ${JSON.stringify(expected)}`)
      else if (!isWellFormed(answer, expectation)) wrong.push(`${said}, of another form`)
    }
  }
  expect(wrong).toEqual([])
})

const hidden = (code: 'not_found' | 'output_run_unavailable') =>
  JSON.stringify({ detail: { code, message: catalogue[code].message } })

/** Each refusal has one form; hidden objects answer exactly like absent ones, and credentials of runs like unknown ones. */
function isWellFormed(
  { statusCode, headers, body }: LightMyRequestResponse,
  { allowed }: Expectation,
): boolean {
  if (statusCode === 200) return true
  const { detail } = JSON.parse(body) as { detail: unknown }
  if (statusCode === 404) return body === hidden(allowed === 404 ? 'output_run_unavailable' : 'not_found')
  if (statusCode === 418) return headers['www-authenticate'] === 'Bearer' && typeof detail === 'string'
  if (statusCode === 422) return Array.isArray(detail)
  return typeof detail === 'string' || (detail instanceof Object && 'code' in detail)
}

test.each(routes.filter(([, { action, path }]) => actions[action].key === 'own' && path.includes('{rid}')))(
  '%s hides runs of other submitters from a key with sandbox scope',
  async (name, route) => {
    const expectation = expectations[name]
    if (!expectation) throw new Error(`no expectation for ${name}`)
    const params = idsFor(parametersOf(route, expectation), { parameter: '', kind: 'own' }, world)
    const answer = await world.rewind(() => world.send('sandboxKeyInside', route, { params }))
    expect([answer.statusCode, answer.body]).toEqual([404, hidden('not_found')])
  },
)
