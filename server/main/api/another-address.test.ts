import { accountRoutes } from '@sandbox-jobs/contract/routes/account-routes.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { expect, it } from 'vitest'
import { AgentHarness } from '../../../testing/apps/agent-harness.ts'
import { OAuthSteps } from '../../../testing/apps/steps/oauth-steps.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'

/* The service behind a proxy that it did not have before, or under another name: a restart with another base URL. */

const { db } = await createTestDatabase()
const { companyId, roomId, member } = await makeTenant(db)
const before = new AgentHarness(db, { baseUrl: 'http://127.0.0.1:8080' })
const after = new AgentHarness(db, { baseUrl: 'https://jobs.example', beside: before })

const getFrom = (service: AgentHarness, url: string, headers: Record<string, string> = {}) =>
  service.app.inject({ method: 'GET', url, headers })

it('logins are good at the old and at the new address', async () => {
  const { username, password } = await new OAuthSteps(db, before).loginOf(member)
  const answer = await before.app.inject({
    method: 'POST',
    url: '/public/auth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ username, password }).toString(),
  })
  const headers = { authorization: `Bearer ${answer.json().access_token}` }
  for (const service of [before, after]) {
    const me = await getFrom(service, accountRoutes.readMe.path, headers)
    expect([me.statusCode, me.json().principal_id]).toEqual([200, member.principalId])
  }
})

it('links are good at the old and at the new address, and are shown with the new one', async () => {
  const task = await before.offer({ companyId, roomId })
  const rid = await makeRun(db, task, {
    ...{ chatroom_id: roomId, principal_id: member.principalId },
    ...{ state: 'completed', exit_code: 0, terminal_at: new Date() },
  })
  await db.insertInto('run_contents').values({ run_id: rid, company_id: companyId }).execute()
  const headers = await before.login(member)
  const params = { cid: roomId, rid }
  const body = { purpose: 'share' }
  const link = await before.send(allRoutes.createSignedLink, headers, { params, body })
  const path = new URL(String(link.body.url)).pathname
  for (const service of [before, after]) expect((await getFrom(service, path)).statusCode).toBe(200)
  const listed = await after.send(allRoutes.listRunLinks, headers, { params })
  expect(listed.body.items).toMatchObject([{ url: `https://jobs.example${path}` }])
})

it('an agent goes on in its turn', async () => {
  const turn = await before.post(member, roomId)
  expect(await after.tool(turn, 'sandbox_job_menu')).toMatchObject({ status: 'ok' })
})

it('a service with other keys is another deployment', async () => {
  const other = new AgentHarness(db, { baseUrl: 'http://127.0.0.1:8080' })
  expect(other.keys.deployment).not.toBe(before.keys.deployment)
  expect((await getFrom(other, accountRoutes.readMe.path, await before.login(member))).statusCode).toBe(418)
})
