import { actions } from '@sandbox-jobs/contract/access/actions.ts'
import { pageTokenMaxLength } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeRun } from '../../testing/factories/runs.ts'
import { idsFor, parametersOf } from './example-ids.ts'
import { expectations } from './expectations/index.ts'
import { World } from './world.ts'

/* Properties of lists: every row once for any page size, and tokens that cannot be forged. */
const rows = 23
const { url } = await createTestDatabase()
let world: World

beforeAll(async () => {
  world = await World.make(url)
  await fillLists()
})
afterAll(() => world.close())

const isPaged = (route: Route): boolean =>
  'page_token' in ((route.query as { properties?: object })?.properties ?? {})
const lists = Object.entries<Route>(allRoutes).filter(([, route]) => isPaged(route))

/** Creates more rows than a page in lists whose rows are cheap to create. */
async function fillLists(): Promise<void> {
  const { own } = world
  const { ids } = own
  const pins = {
    companyId: own.companyId,
    taskId: ids.task,
    versionId: ids.taskVersion,
    environmentVersionId: ids.readyVersion,
    shareGrantId: ids.share,
  }
  // Runs that were queued at the same instant are ordered by their ids.
  const queuedAt = new Date()
  for (let made = 0; made < rows; made += 1) {
    const queued_at = made < rows / 2 ? queuedAt : new Date(queuedAt.getTime() - made)
    await makeRun(world.database.db, pins, { chatroom_id: ids.room, queued_at })
    const name = `Department ${made}`
    await world.send('administrator', allRoutes.createDepartment, { body: { name } })
    const owner = { owner_scope: 'company', owner_id: own.companyId }
    await world.send('administrator', allRoutes.createTask, { body: { name: `Task ${made}`, ...owner } })
  }
}

interface Page {
  items: Record<string, unknown>[]
  page_size: number
  next_page_token: string | null
}

async function page(name: string, query: Record<string, string>): Promise<Page> {
  const route: Route | undefined = Object.entries<Route>(allRoutes).find(([other]) => other === name)?.[1]
  const expectation = expectations[name]
  if (!route || !expectation) throw new Error(`no route ${name}`)
  const params = idsFor(parametersOf(route, expectation), { parameter: '', kind: 'own' }, world)
  const required = expectation.queryOf?.(world.own) ?? expectation.query
  const caller = actions[route.action].subject === 'session' ? 'member' : 'administrator'
  const answer = await world.send(caller, route, { params, query: { ...required, ...query } })
  expect(answer.statusCode).toBe(200)
  return answer.json()
}

/** Keys of all rows, page by page. */
async function walk(name: string, size: number): Promise<string[]> {
  const keys: string[] = []
  let token: string | null = ''
  while (token !== null) {
    const query: Record<string, string> = { page_size: String(size), ...(token && { page_token: token }) }
    const shown: Page = await page(name, query)
    expect(shown.page_size).toBe(size)
    expect(shown.items.length).toBeLessThanOrEqual(size)
    if (shown.next_page_token !== null) {
      expect(shown.items).toHaveLength(size)
      expect(shown.next_page_token.length).toBeLessThanOrEqual(pageTokenMaxLength)
    }
    keys.push(...shown.items.map((item) => JSON.stringify(item.id ?? item.user_id ?? item)))
    token = shown.next_page_token
  }
  return keys
}

test.each(lists)('%s shows every row once, in one order, for any size of a page', async (name) => {
  const whole = await walk(name, 100)
  expect(new Set(whole).size).toBe(whole.length)
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (size) => {
      expect(await walk(name, size)).toEqual(whole)
    }),
    { numRuns: 4, examples: [[1]] },
  )
})

test('the filled lists have more rows than a page', async () => {
  for (const name of ['listDepartments', 'listTasks', 'listRuns', 'listVisibleRuns']) {
    expect((await walk(name, 100)).length).toBeGreaterThan(rows)
  }
})

test.each(lists)('%s restarts on a token that is malformed, changed or of another list', async (name) => {
  const first = await page(name, { page_size: '1' })
  const other = await page(name === 'listTasks' ? 'listDepartments' : 'listTasks', { page_size: '2' })
  const foreign = other.next_page_token ?? ''
  expect(foreign).not.toBe('')
  const own = first.next_page_token ?? foreign
  const changed = `${own.startsWith('A') ? 'B' : 'A'}${own.slice(1)}`
  const unsigned = `${Buffer.from(JSON.stringify(['zzz'])).toString('base64url')}.`
  for (const token of ['x', '.', 'a.b', foreign, changed, unsigned, `${own}.x.y`.slice(0, 1), '\0', '🙂']) {
    const again = await page(name, { page_size: '1', page_token: token })
    expect(again.items).toEqual(first.items)
  }
})
