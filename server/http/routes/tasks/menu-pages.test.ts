import { agentMenuPageMaxBytes, menuPageMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { chatroomRoutes } from '@sandbox-jobs/contract/routes/chatroom-routes.ts'
import { beforeAll, expect, it } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeRunnableTask } from '../../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { jobMenu } from '../../../agent-tools/job-menu.ts'
import type { ToolDeps } from '../../../agent-tools/tool.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const text = 'i'.repeat(64 * 1024)
/** The largest that a version may have. */
const large = { input_instructions: text, input_example: text, input_schema: text }
let tenant: Tenant
const tasks: string[] = []

/** In the order of the menu. */
async function enabledTask(fields: object): Promise<void> {
  const { taskId: tid, versionId } = await makeRunnableTask(db, tenant.companyId, fields)
  const params = { cid: tenant.roomId, tid }
  const body = { task_version_id: versionId }
  await api.must(chatroomRoutes.enableGrantedJob, tenant.roomManager, { params, body })
  tasks.push(tid)
}

beforeAll(async () => {
  tenant = await makeTenant(db)
  for (let made = 0; made < 12; made += 1) await enabledTask(made < 10 ? large : {})
  // Each character of it is six bytes of JSON.
  await enabledTask({ input_instructions: '\u0001'.repeat(64 * 1024) })
  await enabledTask({})
})

interface Page {
  items: { task_id?: unknown }[]
  page_size: number
  next_page_token: string | null
}

const overRest = (page_token?: string): Promise<Page> =>
  api.must(chatroomRoutes.readMenu, tenant.member, {
    params: { cid: tenant.roomId },
    query: { page_size: '100', ...(page_token && { page_token }) },
  })
const ofAgent = async (page_token?: string): Promise<Page> => {
  const caller = { principal: tenant.member, roomId: tenant.roomId }
  const deps = { read: api.context } as unknown as ToolDeps
  return (await jobMenu.call(deps, caller, { page_size: 100, page_token })) as unknown as Page
}

it.each([
  ['over REST', overRest, menuPageMaxBytes],
  ['of agents', ofAgent, agentMenuPageMaxBytes],
])('the menu %s has pages of bounded size that together are all of it', async (_, read, maxBytes) => {
  const seen: unknown[] = []
  let pages = 0
  for (let token: string | null | undefined; token !== null && pages < 20; pages += 1) {
    const page = await read(token)
    expect(page.page_size).toBe(100)
    const bytes = Buffer.byteLength(JSON.stringify(page.items))
    if (page.items.length > 1) expect(bytes).toBeLessThanOrEqual(maxBytes + 1000)
    seen.push(...page.items.map(({ task_id }) => task_id))
    token = page.next_page_token
  }
  expect(seen).toEqual(tasks)
  expect(pages).toBeGreaterThan(2)
})
