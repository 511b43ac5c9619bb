import { beforeEach, describe, expect, it } from 'vitest'
import { AgentHarness } from '../../../testing/apps/agent-harness.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { hashPassword } from '../../access/login/passwords.ts'
import type { Principal } from '../../access/principal.ts'

const { db } = await createTestDatabase()
const harness = new AgentHarness(db)
const password = 'correct horse battery'
const passwordHash = await hashPassword(password)
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

async function propose(input: unknown = { day: 'Monday' }): Promise<string> {
  const { versionId } = await harness.offer(tenant, { requires_confirmation: true })
  const body = { mode: 'request', task_version_id: versionId, input }
  const turn = await harness.post(tenant.member, tenant.roomId)
  const { proposal_id, address } = await harness.tool(turn, 'sandbox_submit_job', body)
  expect(address).toBe(`http://sandbox.test/confirm/${proposal_id}`)
  return String(proposal_id)
}
async function loginOf({ principalId }: Principal) {
  const user = db.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', principalId)
  const { login } = await user.returning('login').executeTakeFirstOrThrow()
  return { username: login, password }
}
async function send(pid: string, form: Record<string, string>, app = harness.app) {
  const { statusCode, body, headers } = await app.inject({
    method: 'POST',
    url: `/confirm/${pid}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  })
  const login = /name="login" value="(?<token>[^"]+)"/.exec(body)?.groups?.token
  return { status: statusCode, body, headers, login }
}
const runs = async () =>
  (await db.selectFrom('runs').select('id').where('company_id', '=', tenant.companyId).execute()).length

describe('the page of a proposal', () => {
  it('runs no script, loads nothing and shows nothing before a login', async () => {
    const pid = await propose()
    const pages = await Promise.all(
      [pid, 'prp_none'].map((id) => harness.app.inject({ method: 'GET', url: `/confirm/${id}` })),
    )
    expect(pages[0]?.body).toBe(pages[1]?.body)
    expect(pages[0]?.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^;]+; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    )
    expect(pages[0]?.headers['cache-control']).toBe('no-store')
    expect(pages[0]?.headers['set-cookie']).toBeUndefined()
  })

  it('starts no job while the disk is low, and rejects one', async () => {
    const pid = await propose()
    const { login = '' } = await send(pid, await loginOf(tenant.member))
    const { app } = new AgentHarness(db, { beside: harness, diskFloorBytes: Number.MAX_SAFE_INTEGER })
    expect((await send(pid, { login, decision: 'confirm' }, app)).status).toBe(503)
    expect(await runs()).toBe(0)
    expect((await send(pid, { login, decision: 'reject' }, app)).status).toBe(200)
  })

  it('shows the job to its person, who confirms it', async () => {
    const pid = await propose({ text: '</pre><script>alert(1)</script>' })
    const shown = await send(pid, await loginOf(tenant.member))
    expect(shown.status).toBe(200)
    expect(shown.body).toContain('&lt;/pre&gt;&lt;script&gt;')
    expect(shown.body).not.toContain('<script')
    const done = await send(pid, { login: String(shown.login), decision: 'confirm' })
    expect(done.body).toContain('The job was started.')
    expect(await runs()).toBe(1)
    const again = await send(pid, { login: String(shown.login), decision: 'confirm' })
    expect([again.status, again.body]).toEqual([409, expect.stringContaining('already became a run')])
    expect((await send(pid, await loginOf(tenant.member))).body).toContain('The job was started.')
    expect(await runs()).toBe(1)
  })

  it('lets the person reject the job', async () => {
    const pid = await propose()
    const { login } = await send(pid, await loginOf(tenant.member))
    expect((await send(pid, { login: String(login), decision: 'reject' })).body).toContain(
      'Nothing was started',
    )
    expect(await runs()).toBe(0)
  })

  it('is for nobody else', async () => {
    const pid = await propose()
    for (const other of [tenant.companyManager, (await makeTenant(db)).member]) {
      expect((await send(pid, await loginOf(other))).status).toBe(404)
    }
    expect((await send('%00', await loginOf(tenant.member))).status).toBe(404)
    expect(await runs()).toBe(0)
  })
})

describe('a login on the page', () => {
  it('that is wrong gets the form again', async () => {
    const pid = await propose()
    const { username } = await loginOf(tenant.member)
    for (const form of [
      { username, password: 'wrong' },
      { username: 'nobody', password },
    ]) {
      const answer = await send(pid, form)
      expect([answer.status, answer.login, answer.headers['www-authenticate']]).toEqual([
        401,
        undefined,
        undefined,
      ])
      expect(answer.body).toContain('name="password"')
    }
    expect((await send(pid, { username })).status).toBe(422)
  })

  it('holds for one proposal, for ten minutes, and not after a change of the password', async () => {
    const pid = await propose()
    const form = { login: String((await send(pid, await loginOf(tenant.member))).login), decision: 'confirm' }
    const other = await propose()
    expect((await send(other, form)).status).toBe(401)
    const late = new AgentHarness(db, { beside: harness })
    late.advanceSeconds(601)
    const forOther = { ...form, login: String((await send(other, await loginOf(tenant.member))).login) }
    expect((await send(other, forOther, late.app)).status).toBe(401)
    await db
      .updateTable('users')
      .set(({ eb }) => ({ credential_generation: eb('credential_generation', '+', 1) }))
      .where('id', '=', tenant.member.principalId)
      .execute()
    expect((await send(other, forOther)).status).toBe(401)
    expect(await runs()).toBe(0)
  })

  it('decides nothing while the sandbox is switched off', async () => {
    const stopped = new AgentHarness(db, { enabled: false, beside: harness })
    expect((await send('prp_1', { username: 'a', password: 'b' }, stopped.app)).status).toBe(503)
  })
})
