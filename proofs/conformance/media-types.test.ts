import { actions } from '@sandbox-jobs/contract/access/actions.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { idsFor, parametersOf } from './example-ids.ts'
import { exampleCall } from './expectations/expectation.ts'
import { expectations } from './expectations/index.ts'
import { World } from './world.ts'

/* A body has to have the type that its route declares: a form or raw bytes are never read as JSON. */
const { url } = await createTestDatabase()
let world: World
beforeAll(async () => {
  world = await World.make(url)
})
afterAll(() => world.close())

const form = 'application/x-www-form-urlencoded'
const routes: [string, Route][] = Object.entries(allRoutes)
// Tools of agents need a turn, and callbacks the credential of a run, which no caller of the matrix has.
const withBody = routes.filter(
  ([, { body, bodyKind, action }]) =>
    body &&
    (bodyKind ?? 'json') === 'json' &&
    actions[action].subject !== 'turn' &&
    action !== 'callback.write',
)

const wrong = withBody.flatMap(([name, route]) =>
  [form, 'application/octet-stream', 'text/plain', 'multipart/form-data; boundary=b'].map(
    (type) => [name, type, route] as const,
  ),
)

test.each(wrong)('%s refuses a body of type %s', async (name, type, route) => {
  const expectation = expectations[name] ?? {}
  const params = idsFor(parametersOf(route, expectation), { parameter: '', kind: 'own' }, world)
  const call = exampleCall(expectation, world.own)
  const headers = { ...call.headers, 'content-type': type }
  const request = { ...call, params, headers, body: call.body ?? {} }
  const answer = await world.rewind(() => world.send('administrator', route, request))
  expect(answer.statusCode).toBe(422)
  expect(answer.json().detail).toMatchObject([{ type: 'content_type', loc: ['header', 'content-type'] }])
})

test('a form on the submission route queues nothing', async () => {
  await world.rewind(async () => {
    const { taskVersion, room } = world.own.ids
    const count = async () => (await world.database.db.selectFrom('runs').select('id').execute()).length
    const before = await count()
    const answer = await world.app.inject({
      method: 'POST',
      url: allRoutes.submitRun.path.replace('{cid}', room),
      headers: { ...world.callers.member, 'content-type': form, 'idempotency-key': 'form' },
      payload: `task_version_id=${taskVersion}&input=a%00b`,
    })
    expect([answer.statusCode, await count()]).toEqual([422, before])
  })
})

test('a login is a form, not JSON', async () => {
  const answer = await world.app.inject({
    method: 'POST',
    url: allRoutes.createToken.path,
    payload: { username: world.own.people.member.principalId, password: 'x' },
  })
  expect(answer.statusCode).toBe(422)
})

test('an empty form, as browsers and curl send it, counts as no body', async () => {
  const { room, run } = world.own.ids
  const answer = await world.rewind(() =>
    world.app.inject({
      method: 'POST',
      url: allRoutes.retryRun.path.replace('{cid}', room).replace('{rid}', run),
      headers: { ...world.callers.member, 'content-type': form, 'idempotency-key': 'empty' },
      payload: '',
    }),
  )
  expect(answer.statusCode).toBe(200)
})
