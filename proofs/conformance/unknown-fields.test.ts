import { actions } from '@sandbox-jobs/contract/access/actions.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { idsFor, parametersOf } from './example-ids.ts'
import { exampleCall } from './expectations/expectation.ts'
import { expectations } from './expectations/index.ts'
import { World } from './world.ts'

/* Every request body refuses unknown fields (contract part 1, global rule 1), also a body without fields. */
const { url } = await createTestDatabase()
let world: World
beforeAll(async () => {
  world = await World.make(url)
})
afterAll(() => world.close())

const routes: [string, Route][] = Object.entries(allRoutes)
// Tools of agents need a turn, and refuse unknown parameters with a result: server/agent-tools/tools.test.ts. Callbacks need the
// credential of a run that has started: server/http/routes/tables/output-callbacks.test.ts.
const changing = routes.filter(
  ([, { method, bodyKind, action }]) =>
    method !== 'GET' &&
    (bodyKind ?? 'json') === 'json' &&
    actions[action].subject !== 'turn' &&
    action !== 'callback.write',
)
const withoutBody = changing.filter(([, { body }]) => !body)

/** Subjects that only the person may change for whom they were made. */
const ofOnePerson = new Set<string>(['proposal', 'notification', 'session'])

async function send(name: string, route: Route, body: Record<string, unknown>) {
  const expectation = expectations[name] ?? {}
  const params = idsFor(parametersOf(route, expectation), { parameter: '', kind: 'own' }, world)
  const call = exampleCall(expectation, world.own)
  const request = { ...call, params, body: { ...(call.body as object), ...body } }
  const caller = ofOnePerson.has(actions[route.action].subject) ? 'member' : 'administrator'
  return world.rewind(() => world.send(caller, route, request))
}

test.each(changing)('%s refuses a field that it does not know', async (name, route) => {
  const answer = await send(name, route, { unknown: 1 })
  expect(answer.statusCode).toBe(422)
  const problem = { type: 'extra_forbidden', loc: ['body', 'unknown'] }
  expect(answer.json().detail).toContainEqual(expect.objectContaining(problem))
})

test.each(withoutBody)('%s accepts an empty object as no body', async (name, route) => {
  expect((await send(name, route, {})).statusCode).toBe(200)
})
