import { actions } from '@sandbox-jobs/contract/access/actions.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { World } from './world.ts'

/* The kill switch stops every route that changes something, except those listed here. */
const { url } = await createTestDatabase()
let world: World

beforeAll(async () => {
  world = await World.make(url)
})
afterAll(() => world.close())

const goesOn = ({ method, path }: Route): boolean =>
  method === 'GET' ||
  path.endsWith('/cancel') ||
  path.endsWith('/download') ||
  path === '/public/auth/token' ||
  path === '/public/auth/sign-in' ||
  path.endsWith('/sign-ins/end') ||
  path.endsWith('/me/password') ||
  path.startsWith('/private/platform/')

// Tools of agents need a turn: server/agent-tools/tools.test.ts.
const routes = Object.entries<Route>(allRoutes).filter(([, { action }]) => actions[action].subject !== 'turn')

test.each(routes)('%s while the sandbox is switched off', async (_name, route) => {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name))
  const params = Object.fromEntries(names.map((name) => [name, name === 'cid' ? world.own.ids.room : 'any']))
  const answer = await world.sendWith({ enabled: false }, 'administrator', route, { params })
  const isStopped = answer.statusCode === 503 && answer.json().detail.code === 'sandbox_disabled'
  expect(isStopped).toBe(!goesOn(route))
})

test('the kill switch stops the settings of a chatroom for its agent', () => {
  expect(goesOn(allRoutes.updateChatroomJobs)).toBe(false)
})

test('the kill switch also stops unknown methods of a stopped path', async () => {
  const patch = { ...allRoutes.listTasks, method: 'DELETE' } as const
  const answer = await world.sendWith({ enabled: false }, 'administrator', patch)
  expect(answer.statusCode).toBe(503)
})
