import { catalogue } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { LightMyRequestResponse } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { idsFor, type Kind, parametersOf, variantsOf } from './example-ids.ts'
import type { Expectation } from './expectations/expectation.ts'
import { expectations } from './expectations/index.ts'
import { expectedAnswer, isExpected } from './expected-answer.ts'
import { sendCell } from './send-cell.ts'
import { callers, World } from './world.ts'

export const routes = Object.entries<Route>(allRoutes)

/**
 * Tests every route for every kind of caller with ids of these kinds, compared with the table in `contract/access`. Each cell runs
 * against the initial world. Returns the world, which is made before the first test.
 */
export async function testMatrix(kinds: readonly Kind[]): Promise<() => World> {
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

  test.each(routes)('%s answers every kind of caller as the table says', async (name, route) => {
    const expectation = expectations[name]
    if (!expectation) throw new Error(`no expectation for ${name}`)
    const parameters = parametersOf(route, expectation)
    const wrong: string[] = []
    for (const variant of variantsOf(parameters).filter(({ kind }) => kinds.includes(kind))) {
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
  return () => world
}

export const hidden = (code: 'not_found' | 'output_run_unavailable') =>
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
