import { actions, needsCredentials } from '@sandbox-jobs/contract/access/actions.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { send } from './send.ts'
import { type Caller, World } from './world.ts'

/* Methods that a path of the contract does not have. */
const { url } = await createTestDatabase()
let world: World

beforeAll(async () => {
  world = await World.make(url)
})
afterAll(() => world.close())

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'] as const
const byPath = Map.groupBy(Object.values<Route>(allRoutes), ({ path }) => path)

function call(caller: Caller, path: string, method: string) {
  const [route] = byPath.get(path) as [Route]
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name))
  const params = Object.fromEntries(names.map((name) => [name, name === 'cid' ? world.own.ids.room : 'any']))
  const other = { ...route, method } as Route
  return world.send(caller, other, { params })
}

test.each([...byPath.keys()])('%s answers 405 to every method that it does not have', async (path) => {
  const routes = byPath.get(path) as Route[]
  const has: string[] = routes.map(({ method }) => method)
  if (has.includes('GET')) has.push('HEAD')
  for (const method of methods.filter((one) => !has.includes(one))) {
    const answer = await call('administrator', path, method)
    expect([method, answer.statusCode]).toEqual([method, 405])
    expect(answer.headers.allow).toBe([...has, 'OPTIONS'].join(', '))
    if (method !== 'HEAD') expect(answer.json()).toEqual({ detail: 'Method Not Allowed' })
  }
})

test('credentials are checked first, and restrictions of keys stay', async () => {
  for (const [path, [route]] of byPath) {
    if (!route || !needsCredentials(route.action)) continue
    expect((await call('nobody', path, 'TRACE')).statusCode).toBe(418)
    const restricted = await call('sandboxKeyInside', path, 'TRACE')
    const rule = actions[route.action].key
    const refusal = rule === 'door' ? 403 : typeof rule === 'number' ? rule : 405
    expect([path, restricted.statusCode]).toEqual([path, refusal])
    if (path.includes('{cid}')) {
      expect((await call('sandboxKeyOutside', path, 'TRACE')).statusCode).toBe(403)
    }
  }
})

test('an id that names nothing gives the same answer as one that does', async () => {
  const { path } = allRoutes.readRun
  const known = await call('member', path, 'PATCH')
  const params = { cid: world.foreign.ids.room, rid: 'run_none' }
  const unknown = await send(
    world.app,
    world.callers.member,
    { ...allRoutes.readRun, method: 'PATCH' },
    { params },
  )
  expect([unknown.statusCode, unknown.body]).toEqual([known.statusCode, known.body])
})

test('a path outside the contract is not found', async () => {
  const nowhere = { ...allRoutes.listTasks, path: '/private/module/sandbox/none' } as const
  expect((await world.send('administrator', nowhere)).statusCode).toBe(404)
})
