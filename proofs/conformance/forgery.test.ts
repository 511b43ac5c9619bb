import { actions, needsCredentials } from '@sandbox-jobs/contract/access/actions.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { examplePassword } from './seed/seed.ts'
import type { Headers } from './send.ts'
import { World } from './world.ts'

/*
 * Requests with the cookie of a person who is signed in, made by pages of other sites: every route refuses each combination of
 * headers but those that only a page of the console can send.
 */
const { url } = await createTestDatabase()
const own = { 'sec-fetch-site': 'same-origin', origin: 'https://sandbox.test', 'x-sandbox-console': '1' }
let world: World
let cookie: string

beforeAll(async () => {
  world = await World.make(url)
  const body = { username: world.own.people.administrator.principalId, password: examplePassword }
  const answer = await world.send(own, allRoutes.createSignIn, { body })
  cookie = String(answer.headers['set-cookie']).split(';')[0] ?? ''
})
afterAll(() => world.close())

const sites = [undefined, 'none', 'cross-site', 'same-site']
const origins = [undefined, 'null', 'https://sandbox.test:8443', 'http://sandbox.test']
const marks = [undefined, '0']

const headersOf = (site?: string, origin?: string, mark?: string): Headers => ({
  ...(site !== undefined && { 'sec-fetch-site': site }),
  ...(origin !== undefined && { origin }),
  ...(mark !== undefined && { 'x-sandbox-console': mark }),
})
const ownSite = own['sec-fetch-site']
const ownMark = own['x-sandbox-console']
/** Of other pages: none of the three is right, or two of them are. */
const ofOthers = [
  headersOf(),
  headersOf('cross-site', 'https://evil.example'),
  ...sites.map((site) => headersOf(site, own.origin, ownMark)),
]
/** Of the console's page, as far as the browser says so, without what a change needs. */
const halfProven = [
  ...origins.map((origin) => headersOf(ownSite, origin, ownMark)),
  ...marks.map((mark) => headersOf(ownSite, own.origin, mark)),
]

const routes = Object.entries<Route>(allRoutes).filter(([, { action }]) => needsCredentials(action))

/** An agent has the context of a turn, and never the cookie of its person. */
const takesCookie = ({ action }: Route) => actions[action].subject !== 'turn'

const ask = (route: Route, headers: Headers) => {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name))
  const params = Object.fromEntries(names.map((name) => [name, 'nothing']))
  return world.send({ cookie, ...headers }, route, { params })
}

test.each(routes)('%s', async (_name, route) => {
  const isRead = route.method === 'GET'
  for (const headers of [...ofOthers, ...(isRead ? [] : halfProven)]) {
    const answer = await ask(route, headers)
    expect([headers, answer.statusCode]).toEqual([headers, 418])
    // No page of another origin may read the answer.
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  }
  for (const headers of [own, ...(isRead ? halfProven : [])]) {
    const answer = await world.rewind(() => ask(route, headers))
    expect([headers, answer.statusCode === 418]).toEqual([headers, !takesCookie(route)])
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  }
})

test('the answer to a preflight request never allows the header of the console', async () => {
  const answer = await world.app.inject({
    method: 'OPTIONS',
    url: allRoutes.createSignIn.path,
    headers: { origin: 'https://evil.example', 'access-control-request-headers': 'x-sandbox-console' },
  })
  expect(String(answer.headers['access-control-allow-headers']).toLowerCase()).not.toContain('console')
})
