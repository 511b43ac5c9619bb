import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../testing/test-database.ts'
import { World } from './world.ts'

/* The kill switch: what is stopped is everything that changes, unless it is listed here. */
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
  path.startsWith('/private/platform/')

test.each(Object.entries<Route>(allRoutes))('%s while the sandbox is switched off', async (_name, route) => {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name))
  const params = Object.fromEntries(names.map((name) => [name, name === 'cid' ? world.own.ids.room : 'any']))
  const answer = await world.sendTo({ enabled: false }, 'administrator', route, { params })
  const isStopped = answer.statusCode === 503 && answer.json().detail.code === 'sandbox_disabled'
  expect(isStopped).toBe(!goesOn(route))
})

test('the settings of a chatroom for its agent are among what is stopped', () => {
  expect(goesOn(allRoutes.updateChatroomJobs)).toBe(false)
})

test('a method that a path does not have is stopped too, where others of it are', async () => {
  const patch = { ...allRoutes.listTasks, method: 'DELETE' } as const
  const answer = await world.sendTo({ enabled: false }, 'administrator', patch)
  expect(answer.statusCode).toBe(503)
})
