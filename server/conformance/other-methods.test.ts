import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../testing/test-database.ts'
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
const isOpen = ({ access }: Route) => access === 'public' || access === 'token'

function ask(caller: Caller, path: string, method: string) {
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
    const answer = await ask('administrator', path, method)
    expect([method, answer.statusCode]).toEqual([method, 405])
    expect(answer.headers.allow).toBe([...has, 'OPTIONS'].join(', '))
    if (method !== 'HEAD') expect(answer.json()).toEqual({ detail: 'Method Not Allowed' })
  }
})

test('credentials come first, and what a restricted key may not reach stays as it is', async () => {
  for (const [path, [route]] of byPath) {
    if (!route || isOpen(route)) continue
    expect((await ask('nobody', path, 'TRACE')).statusCode).toBe(418)
    const restricted = await ask('sandboxKeyInside', path, 'TRACE')
    const rule = route.restrictedKey
    expect([path, restricted.statusCode]).toEqual([path, typeof rule === 'number' ? rule : 405])
    if (path.includes('{cid}')) {
      expect((await ask('sandboxKeyOutside', path, 'TRACE')).statusCode).toBe(403)
    }
  }
})

test('an id that names nothing gives the same answer as one that does', async () => {
  const { path } = allRoutes.readRun
  const known = await ask('member', path, 'PATCH')
  const params = { cid: world.foreign.ids.room, rid: 'run_none' }
  const unknown = await send(
    world.app,
    world.callers.member,
    { ...allRoutes.readRun, method: 'PATCH' },
    { params },
  )
  expect([unknown.statusCode, unknown.body]).toEqual([known.statusCode, known.body])
})

test('a path that is none of the contract is not found', async () => {
  const nowhere = { ...allRoutes.listTasks, path: '/private/module/sandbox/none' } as const
  expect((await world.send('administrator', nowhere)).statusCode).toBe(404)
})
