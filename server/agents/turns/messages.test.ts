import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { AgentHarness } from '../../../testing/apps/agent-harness.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant, makeUser, type Tenant } from '../../../testing/factories/tenant.ts'
import { issueGatewayKey, revokeGatewayKey } from '../../access/keys/gateway-keys.ts'
import { insertMessage, lockLastSequence } from './message-store.ts'
import { sweepMessages } from './messages.ts'

const { db } = await createTestDatabase()
const harness = new AgentHarness(db)
const { peppers } = harness.keys
const { clock } = harness
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

const postAs = (headers: Record<string, string>, cid = tenant.roomId, text = 'hello') =>
  harness.send(allRoutes.postMessage, headers, { params: { cid }, body: { text } })
const gatewayKey = (name = 'bot', companyId = tenant.companyId) =>
  issueGatewayKey({ db, peppers }, companyId, name)
const listTools = (turnContext: unknown) =>
  harness.send(allRoutes.listAgentTools, { 'x-turn-context': String(turnContext) })
const behalf = (key: string, whom: string) => ({ 'x-gateway-key': key, 'x-on-behalf-of': whom })

describe('a message', () => {
  it('starts a turn under the next number of its room', async () => {
    const first = await harness.post(tenant.member, tenant.roomId)
    const second = await harness.post(tenant.roomManager, tenant.roomId)
    expect([first.sequence, second.sequence]).toEqual([1, 2])
    expect(second.message_id).toMatch(/^msg_/)
    expect(new Date(second.expires_at).getTime() - Date.now()).toBeLessThanOrEqual(600_000)
    const rows = await db
      .selectFrom('room_messages')
      .select(['principal_id', 'text'])
      .where('chatroom_id', '=', tenant.roomId)
      .orderBy('sequence')
      .execute()
    expect(rows.map((row) => row.principal_id)).toEqual([
      tenant.member.principalId,
      tenant.roomManager.principalId,
    ])
  })

  it('gets a number of its own when many are posted at once', async () => {
    const posted = await Promise.all(
      Array.from({ length: 20 }, () => harness.post(tenant.member, tenant.roomId)),
    )
    expect(posted.map(({ sequence }) => sequence).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, at) => at + 1),
    )
  })

  it('that is the first of its room is not later than what locks the numbers meanwhile', async () => {
    const room = { id: tenant.roomId, company_id: tenant.companyId }
    const posted = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const posting = db.transaction().execute(async (trx) => {
      const { sequence } = await insertMessage(trx, room, { principal: tenant.member, text: 'hello' })
      posted.resolve()
      await mayCommit.promise
      return sequence
    })
    await posted.promise
    const last = db.transaction().execute((trx) => lockLastSequence(trx, room))
    mayCommit.resolve()
    expect([await posting, await last]).toEqual([1, 1])
  })

  it('is refused from outside the room, and a refused one leaves no row', async () => {
    expect((await postAs(await harness.login(tenant.stranger))).status).toBe(404)
    expect((await postAs({})).status).toBe(418)
    expect((await postAs(await harness.login(tenant.member), tenant.roomId, ' ')).status).toBe(422)
    const rows = await db
      .selectFrom('room_messages')
      .select('id')
      .where('company_id', '=', tenant.companyId)
      .execute()
    expect(rows).toEqual([])
  })

  it('counts to the bytes of its company, and is deleted after thirty days', async () => {
    await harness.post(tenant.member, tenant.roomId, 'four')
    const kept = () =>
      db
        .selectFrom('kept_byte_changes')
        .select(({ fn }) => fn.sum<string>('bytes').as('bytes'))
        .where('company_id', '=', tenant.companyId)
        .where('kind', '=', 'messages')
        .executeTakeFirstOrThrow()
    expect(Number((await kept()).bytes)).toBe(1028)
    const inThirtyDays = { now: () => new Date(Date.now() + 31 * 86_400_000) }
    expect((await sweepMessages({ db, clock: inThirtyDays })).messages).toBeGreaterThan(0)
    expect(Number((await kept()).bytes)).toBe(0)
    expect((await harness.post(tenant.member, tenant.roomId)).sequence).toBe(2)
  })
})

describe('a turn', () => {
  it('ends with the API key that posted its message, which its runs are submitted with', async () => {
    const { versionId } = await harness.offer(tenant)
    const { body } = await postAs(await harness.key(tenant.member))
    const turn = { turn_context: String(body.turn_context) }
    const job = { mode: 'request', task_version_id: versionId, input: {} }
    expect(await harness.tool(turn, 'sandbox_submit_job', job)).toMatchObject({ kind: 'submitted' })
    const { api_key_id } = await db
      .selectFrom('runs')
      .select('api_key_id')
      .where('company_id', '=', tenant.companyId)
      .executeTakeFirstOrThrow()
    expect(api_key_id).toMatch(/^key_/)
    await db
      .updateTable('api_keys')
      .set({ revoked_at: new Date() })
      .where('company_id', '=', tenant.companyId)
      .execute()
    expect((await listTools(body.turn_context)).status).toBe(418)
  })

  it('ends with the login that posted its message, and not one that a gateway posted', async () => {
    const { turn_context } = await harness.post(tenant.member, tenant.roomId)
    const { gateway_key: key } = await gatewayKey()
    const { body } = await postAs(behalf(key, `user:${tenant.member.principalId}`))
    await db
      .updateTable('users')
      .set(({ eb }) => ({ credential_generation: eb('credential_generation', '+', 1) }))
      .where('id', '=', tenant.member.principalId)
      .execute()
    expect((await listTools(turn_context)).status).toBe(418)
    expect((await listTools(body.turn_context)).status).toBe(200)
  })
})

describe('a gateway key', () => {
  it('posts on behalf of a user and of a client in its room', async () => {
    const { gateway_key: key } = await gatewayKey()
    const { status, body } = await postAs(behalf(key, `user:${tenant.member.principalId}`))
    expect([status, body.sequence]).toEqual([200, 1])
    const administrator = await makeUser(db, { companyId: tenant.companyId, role: 4 })
    const client = { channel: 'line', client_id: 'U77' }
    const made = await harness.send(allRoutes.createSocialMediaClient, await harness.login(administrator), {
      params: { cid: tenant.roomId },
      body: client,
    })
    expect(made.status).toBe(200)
    const posted = await postAs(behalf(key, 'line:U77'))
    expect([posted.status, posted.body.sequence]).toEqual([200, 2])
    const turn = { 'x-turn-context': String(posted.body.turn_context) }
    expect((await harness.send(allRoutes.listAgentTools, turn)).status).toBe(200)
    await harness.send(allRoutes.deleteSocialMediaClient, await harness.login(administrator), {
      params: { cid: tenant.roomId, client: String(made.body.id) },
    })
    expect((await harness.send(allRoutes.listAgentTools, turn)).status).toBe(418)
    expect((await postAs(behalf(key, 'line:U77'))).status).toBe(404)
    expect((await postAs(behalf(key, 'nobody'))).status).toBe(404)
    expect((await postAs({ 'x-gateway-key': key })).status).toBe(404)
  })

  it('is good for its company, until it is revoked, and for nothing but messages', async () => {
    const { gateway_key: key, id } = await gatewayKey()
    const other = await makeTenant(db)
    expect((await postAs(behalf(key, `user:${other.member.principalId}`), other.roomId)).status).toBe(404)
    expect((await postAs(behalf(key, `user:${tenant.stranger.principalId}`))).status).toBe(404)
    expect(
      (await harness.send(allRoutes.readMe, behalf(key, `user:${tenant.member.principalId}`))).status,
    ).toBe(418)
    await revokeGatewayKey({ db, clock }, tenant.companyId, id)
    expect((await postAs(behalf(key, `user:${tenant.member.principalId}`))).status).toBe(418)
  })

  it('ends the turns that it started when it is revoked', async () => {
    const { gateway_key: key, id } = await gatewayKey()
    const { body } = await postAs(behalf(key, `user:${tenant.member.principalId}`))
    const own = await harness.post(tenant.member, tenant.roomId)
    expect((await listTools(body.turn_context)).status).toBe(200)
    await revokeGatewayKey({ db, clock }, tenant.companyId, id)
    expect((await listTools(body.turn_context)).status).toBe(418)
    expect((await listTools(own.turn_context)).status).toBe(200)
  })

  it('is stored as a keyed hash, and under the present pepper once it is used after a rotation', async () => {
    const { gateway_key: key, id } = await gatewayKey()
    const stored = () =>
      db
        .selectFrom('gateway_keys')
        .select(['key_hash', 'pepper'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
    const before = await stored()
    expect(before.key_hash.toString()).not.toContain(key)
    const present = harness.keys.peppers.rotate()
    // The API looks for a rotation when it does not find a key.
    const { gateway_key: next } = await gatewayKey('next')
    expect((await postAs(behalf(next, `user:${tenant.member.principalId}`))).status).toBe(200)
    expect((await postAs(behalf(key, `user:${tenant.member.principalId}`))).status).toBe(200)
    expect((await stored()).pepper).toBe(present)
    harness.keys.peppers.retire()
    expect((await postAs(behalf(key, `user:${tenant.member.principalId}`))).status).toBe(200)
  })

  it('has a name of its own among the live keys of the company', async () => {
    const { id } = await gatewayKey('line-bot')
    await expect(gatewayKey('line-bot')).rejects.toMatchObject({ code: 'already_exists' })
    await revokeGatewayKey({ db, clock }, tenant.companyId, id)
    await gatewayKey('line-bot')
  })
})
