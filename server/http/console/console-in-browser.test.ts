import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { testFolder } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, makeUser } from '../../../testing/factories/platform.ts'
import { hashPassword } from '../../access/login/passwords.ts'
import { freePort } from '../../postgres/free-port.ts'

/* The cookie of a sign-in in a real browser: for pages of the service, and for a page at another port of the same machine. */

const { db } = await createTestDatabase()
const password = 'correct horse battery'
const username = 'browser-person'
let origin: string
let neighbour: Server
let neighbourOrigin: string
let browser: Browser
let context: BrowserContext
let page: Page
/** Method, site and whether it has the cookie, of each request to the service. */
const received: string[] = []

beforeAll(async () => {
  const packedFolder = testFolder()
  mkdirSync(join(packedFolder, 'console'))
  const html = '<!doctype html>\n<html lang="en">\n<head><title>Console</title></head><body></body></html>'
  writeFileSync(join(packedFolder, 'console/index.html'), html)
  neighbour = createServer((_request, response) => response.end(html))
  await new Promise<void>((listening) => neighbour.listen(0, '127.0.0.1', listening))
  neighbourOrigin = originOf(neighbour)
  origin = await originOfApi(packedFolder)
  const { companyId } = await makeTenant(db)
  await makeUser(db, companyId, { login: username, passwordHash: await hashPassword(password) })
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    // Chromium's own sandbox does not start as root. The pages are our own.
    args: ['--no-sandbox'],
  })
})
afterAll(async () => {
  await browser.close()
  neighbour.close()
})
beforeEach(async () => {
  context = await browser.newContext()
  page = await context.newPage()
  await page.goto(`${origin}/console/`)
})
afterEach(() => context.close())

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** The API has to know its address before it listens. */
async function originOfApi(packedFolder: string): Promise<string> {
  const port = await freePort()
  const api = new TestApi(db, { baseUrl: `http://127.0.0.1:${port}`, packedFolder })
  api.app.server.on('request', ({ method, headers }) => {
    received.push(`${method} ${headers['sec-fetch-site']} ${headers.cookie?.includes('__Host-sandbox=')}`)
  })
  return api.app.listen({ host: '127.0.0.1', port })
}

interface Sent {
  method?: string
  body?: unknown
}

/** The status of a request that the page makes. */
const ask = (path: string, sent: Sent = {}): Promise<number> =>
  page.evaluate(
    async ({ path: url, method = 'GET', body }) => {
      const headers = { 'x-sandbox-console': '1', 'content-type': 'application/json' }
      const answer = await fetch(url, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
      return answer.status
    },
    { path, ...sent },
  )

const me = allRoutes.readMe.path
const signIn = () => ask(allRoutes.createSignIn.path, { method: 'POST', body: { username, password } })
const signOut = () => ask(allRoutes.endSignIns.path, { method: 'POST', body: { which: 'current' } })

it('signs a page of the console in and out, and no script reads the cookie', async () => {
  expect(await ask(me)).toBe(418)
  expect(await signIn()).toBe(200)
  expect(await page.evaluate('document.cookie')).toBe('')
  expect(await ask(me)).toBe(200)
  await page.reload()
  expect(await ask(me)).toBe(200)
  expect(await signOut()).toBe(200)
  expect([await ask(me), await context.cookies()]).toEqual([418, []])
})

it('lets the page follow events', async () => {
  await signIn()
  const first = await page.evaluate(
    (url) =>
      new Promise<string>((heard, failed) => {
        const source = new EventSource(url)
        source.addEventListener('resync', (event) => {
          source.close()
          heard(String((event as MessageEvent).data))
        })
        source.addEventListener('error', () => failed(new Error('no stream')))
      }),
    `${allRoutes.followEvents.path}?topics=me`,
  )
  expect(JSON.parse(first)).toEqual({ kind: 'resync' })
})

it('takes nothing from a page at another port, whose requests have the cookie too', async () => {
  await signIn()
  const other = await context.newPage()
  await other.goto(neighbourOrigin)
  const statuses = await other.evaluate(
    async ([read = '', change = '']) => {
      const included = { credentials: 'include', mode: 'no-cors' } as const
      await fetch(read, included)
      await fetch(change, { ...included, method: 'POST', body: '{"which":"current"}' })
      // With a header that needs a preflight request, which does not allow it.
      const marked = {
        credentials: 'include',
        method: 'POST',
        headers: { 'x-sandbox-console': '1' },
      } as const
      return fetch(change, marked).then(
        ({ status }) => String(status),
        () => 'blocked',
      )
    },
    [`${origin}${me}`, `${origin}${allRoutes.endSignIns.path}`],
  )
  expect(statuses).toBe('blocked')
  // The browser sent the cookie: what refuses these requests is the service.
  expect(received).toEqual(expect.arrayContaining(['GET same-site true', 'POST same-site true']))
  expect(await ask(me)).toBe(200)
})
