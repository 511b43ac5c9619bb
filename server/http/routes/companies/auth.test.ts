import type { OwnChatroomList } from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeRoom, makeTenant, makeUser } from '../../../../testing/factories/platform.ts'
import { addMember } from '../../../../testing/factories/tenant.ts'
import { hashApiKey, newApiKey } from '../../../access/keys/api-key-secret.ts'
import { insertApiKey, type NewApiKey } from '../../../access/keys/api-key-store.ts'
import { hashPassword } from '../../../access/login/passwords.ts'
import type { Principal } from '../../../access/principal.ts'
import { updateUserRow } from '../../../companies/user-store.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const { app, tokens } = api
const { key: pepper } = api.keys.peppers.present()
const { companyId, departmentId, roomId } = await makeTenant(db)
const password = 'correct horse battery'
const passwordHash = await hashPassword(password)
const me = '/private/module/sandbox/me'

beforeAll(() => app.ready())

let people = 0
const person = async (traits: Parameters<typeof makeUser>[2] = {}) => {
  people += 1
  const login = `person-${people}`
  return { login, principal: await makeUser(db, companyId, { ...traits, login, passwordHash }) }
}

const logIn = (form: Record<string, string>) =>
  app.inject({
    method: 'POST',
    url: '/public/auth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  })

const ask = (headers: Record<string, string>) => app.inject({ method: 'GET', url: me, headers })

const bearer = async (principal: Principal, generation = 1) => {
  const token = await tokens.sign({
    userId: principal.principalId,
    companyId: principal.companyId,
    generation,
  })
  return { authorization: `Bearer ${token}` }
}

const refused = { detail: 'Could not validate credentials' }

describe('logging in', () => {
  it('returns a token that names its user', async () => {
    const { login, principal } = await person({ role: 2, manages: [departmentId] })
    const answer = await logIn({ username: login, password, grant_type: 'password' })
    expect(answer.json()).toMatchObject({ token_type: 'bearer', expires_in: 600 })
    const { access_token } = answer.json<{ access_token: string }>()
    const read = await ask({ authorization: `Bearer ${access_token}` })
    expect(read.json()).toEqual({
      company_id: companyId,
      principal_type: 'user',
      principal_id: principal.principalId,
      auth_method: 'jwt',
      role: 2,
      api_key_scope: null,
      allowed_chatroom_ids: null,
      managed_department_ids: [departmentId],
      can: {
        manage_company: false,
        create_company_task: false,
        create_department_task: true,
        upload_environment: true,
        quick_run: true,
      },
      sandbox_enabled: true,
      deployment: 'onprem',
    })
  })

  it('gives the same response for a wrong password, an unknown login and a disabled user', async () => {
    const known = await person()
    const disabled = await person()
    await updateUserRow(db, { companyId, id: disabled.principal.principalId }, { disabledAt: new Date() })
    const answers = [
      await logIn({ username: known.login, password: 'wrong' }),
      await logIn({ username: 'nobody', password }),
      await logIn({ username: 'no\0body', password }),
      await logIn({ username: disabled.login, password }),
    ]
    for (const answer of answers) {
      expect([answer.statusCode, answer.headers['www-authenticate'], answer.json()]).toEqual([
        418,
        'Bearer',
        refused,
      ])
    }
  })

  it('delays the sixth attempt, even with the right password', async () => {
    const { login } = await person()
    for (let attempt = 0; attempt < 5; attempt += 1) await logIn({ username: login, password: 'wrong' })
    const answer = await logIn({ username: login, password })
    expect(answer.statusCode).toBe(429)
    expect(answer.json()).toMatchObject({ detail: { code: 'login_rate_limited' } })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(50)
  })

  it('distinguishes clients behind a trusted proxy, whatever headers they send', async () => {
    const { app: behind } = new TestApi(db, { trustedProxies: ['127.0.0.1/32'] })
    const { login } = await person()
    const from = (forwardedFor: string, word: string) =>
      behind.inject({
        method: 'POST',
        url: '/public/auth/token',
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': forwardedFor },
        payload: new URLSearchParams({ username: login, password: word }).toString(),
      })
    const statuses = []
    for (let attempt = 0; attempt < 7; attempt += 1) {
      statuses.push((await from(`10.9.9.${attempt}, 198.51.100.6`, 'wrong')).statusCode)
    }
    expect(statuses).toEqual([418, 418, 418, 418, 418, 429, 429])
    expect((await from('198.51.100.7', password)).statusCode).toBe(200)
  })

  it('ignores client address headers while no proxy is trusted', async () => {
    const { login } = await person()
    for (let attempt = 0; attempt < 5; attempt += 1) await logIn({ username: login, password: 'wrong' })
    const answer = await app.inject({
      method: 'POST',
      url: '/public/auth/token',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': '198.51.100.9',
        forwarded: 'for=198.51.100.9',
      },
      payload: new URLSearchParams({ username: login, password }).toString(),
    })
    expect(answer.statusCode).toBe(429)
  })

  it('refuses unknown and missing fields without showing their values', async () => {
    const unknown = await logIn({ username: 'x', password: 'secret-value', admin: 'true' })
    expect(unknown.statusCode).toBe(422)
    expect(unknown.json()).toMatchObject({ detail: [{ type: 'extra_forbidden', loc: ['body', 'admin'] }] })
    expect(unknown.body).not.toContain('secret-value')
    expect((await logIn({ username: 'x' })).statusCode).toBe(422)
  })
})

describe('a login token', () => {
  it('becomes invalid when its user is disabled, and stays invalid when the user is enabled again', async () => {
    const { principal } = await person()
    const headers = await bearer(principal)
    const key = { companyId, id: principal.principalId }
    expect((await ask(headers)).statusCode).toBe(200)
    await updateUserRow(db, key, { disabledAt: new Date() })
    expect((await ask(headers)).statusCode).toBe(418)
    await updateUserRow(db, key, { disabledAt: null })
    expect((await ask(headers)).statusCode).toBe(418)
    expect((await ask(await bearer(principal, 2))).statusCode).toBe(200)
  })

  it('becomes invalid with a new password', async () => {
    const { principal } = await person()
    const headers = await bearer(principal)
    await updateUserRow(db, { companyId, id: principal.principalId }, { passwordHash })
    expect((await ask(headers)).statusCode).toBe(418)
  })

  it('reflects a change of role at once', async () => {
    const { principal } = await person({ role: 4 })
    const headers = await bearer(principal)
    await updateUserRow(db, { companyId, id: principal.principalId }, { role: 1 })
    expect((await ask(headers)).json()).toMatchObject({ role: 1, can: { manage_company: false } })
  })

  it('is not valid in another company', async () => {
    const stranger = await makeTenant(db)
    const { principal } = await person()
    const headers = await bearer({ ...principal, companyId: stranger.companyId })
    expect((await ask(headers)).statusCode).toBe(418)
  })

  it('expires', async () => {
    const headers = await bearer((await person()).principal)
    api.pass(601_000)
    expect((await ask(headers)).statusCode).toBe(418)
  })
})

const makeKey = async (owner: Principal, change: Partial<NewApiKey> = {}) => {
  const key = newApiKey()
  const row = await insertApiKey(db, {
    companyId,
    ownerUserId: owner.principalId,
    name: key,
    keyHash: hashApiKey(pepper, key),
    pepper: 0,
    scope: 'full',
    allowedChatroomIds: [],
    domains: ['*'],
    expiresAt: null,
    ...change,
  })
  return { key, id: row.id }
}

describe('an API key', () => {
  it('acts as its owner', async () => {
    const { principal } = await person({ role: 3 })
    const { key } = await makeKey(principal)
    expect((await ask({ 'x-api-key': key })).json()).toMatchObject({
      principal_id: principal.principalId,
      auth_method: 'api_key',
      api_key_scope: 'full',
      role: 3,
    })
  })

  it('becomes invalid when it is revoked, expires, or its owner is disabled', async () => {
    const { principal } = await person()
    const revoked = await makeKey(principal)
    await db.updateTable('api_keys').set({ revoked_at: new Date() }).where('id', '=', revoked.id).execute()
    const expired = await makeKey(principal, { expiresAt: new Date(Date.now() - 1000) })
    const orphan = await makeKey((await person()).principal)
    expect((await ask({ 'x-api-key': orphan.key })).statusCode).toBe(200)
    await db
      .updateTable('users')
      .set({ disabled_at: new Date() })
      .where('id', 'in', db.selectFrom('api_keys').select('owner_user_id').where('id', '=', orphan.id))
      .execute()
    for (const { key } of [revoked, expired, orphan]) {
      const answer = await ask({ 'x-api-key': key })
      expect([answer.statusCode, answer.json()]).toEqual([418, refused])
    }
  })

  it('is accepted only from its origins; * allows every origin and none', async () => {
    const { principal } = await person()
    const listed = await makeKey(principal, { domains: ['https://app.example', 'http://localhost:3000'] })
    const open = await makeKey(principal)
    const status = async (key: string, origin?: string) =>
      (await ask({ 'x-api-key': key, ...(origin !== undefined && { origin }) })).statusCode
    expect(await status(listed.key, 'https://app.example')).toBe(200)
    expect(await status(listed.key, 'http://localhost:3000')).toBe(200)
    expect(await status(listed.key, 'https://app.example.evil.example')).toBe(403)
    expect(await status(listed.key, 'http://app.example')).toBe(403)
    expect(await status(listed.key)).toBe(403)
    expect(await status(open.key, 'https://anything.example')).toBe(200)
    expect(await status(open.key)).toBe(200)
  })

  it('records its use at most once a minute', async () => {
    const { principal } = await person()
    const { key, id } = await makeKey(principal)
    const usedAt = async () => {
      await ask({ 'x-api-key': key })
      const row = await db
        .selectFrom('api_keys')
        .select('last_used_at')
        .where('id', '=', id)
        .executeTakeFirst()
      return row?.last_used_at?.getTime()
    }
    const first = await usedAt()
    api.pass(50_000)
    expect(await usedAt()).toBe(first)
    api.pass(11_000)
    expect(await usedAt()).toBeGreaterThan(first ?? Number.POSITIVE_INFINITY)
  })

  it('of sandbox scope can read neither /me nor the directory', async () => {
    const { principal } = await person({ role: 4 })
    const { key } = await makeKey(principal, { scope: 'sandbox', allowedChatroomIds: [roomId] })
    for (const url of [me, '/private/platform/users', `/private/platform/chatrooms/${roomId}`]) {
      expect((await app.inject({ method: 'GET', url, headers: { 'x-api-key': key } })).statusCode).toBe(403)
    }
  })

  it.each(['sandbox', 'full'] as const)('of %s scope knows itself and its company', async (scope) => {
    const { principal } = await person({ memberOf: [roomId] })
    const allowedChatroomIds = scope === 'sandbox' ? [roomId] : []
    const { key, id } = await makeKey(principal, {
      scope,
      allowedChatroomIds,
      domains: ['https://app.example'],
    })
    const headers = { 'x-api-key': key, origin: 'https://app.example' }
    const answer = await app.inject({ method: 'GET', url: allRoutes.readOwnCredential.path, headers })
    expect(answer.json()).toEqual({
      company_id: companyId,
      company_name: expect.any(String),
      api_key: {
        id,
        company_id: companyId,
        owner_user_id: principal.principalId,
        name: expect.any(String),
        scope,
        allowed_chatroom_ids: allowedChatroomIds,
        domains: ['https://app.example'],
        created_at: expect.any(String),
        expires_at: null,
        revoked_at: null,
        last_used_at: expect.any(String),
      },
    })
  })

  it('of sandbox scope knows the names of its rooms, while its owner may enter them', async () => {
    const { principal } = await person({ memberOf: [roomId] })
    const other = await makeRoom(db, { companyId, departmentId })
    const foreign = await makeTenant(db)
    const allowedChatroomIds = [roomId, other, foreign.roomId]
    const { key } = await makeKey(principal, { scope: 'sandbox', allowedChatroomIds })
    const rooms = async () => {
      const { path: url } = allRoutes.listOwnChatrooms
      const answer = await app.inject({ method: 'GET', url, headers: { 'x-api-key': key } })
      return answer.json<OwnChatroomList>().items.map(({ name }) => name)
    }
    expect(await rooms()).toEqual([roomId])
    const membership = { companyId, roomId: other, userId: principal.principalId }
    await addMember(db, membership)
    expect(await rooms()).toEqual([roomId, other])
    await db
      .deleteFrom('chatroom_members')
      .where('company_id', '=', companyId)
      .where('chatroom_id', '=', roomId)
      .where('user_id', '=', principal.principalId)
      .execute()
    expect(await rooms()).toEqual([other])
  })
})

describe('a request', () => {
  const cases: [string, Record<string, string>][] = [
    ['without credentials', {}],
    ['with another scheme', { authorization: 'Basic YTpi' }],
    ['with an empty bearer', { authorization: 'Bearer ' }],
    ['with two tokens', { authorization: 'Bearer a b' }],
    ['with an endless token', { authorization: `Bearer ${'a'.repeat(5000)}` }],
    ['with a key of another form', { 'x-api-key': "' or 1=1" }],
    ['with an unknown key', { 'x-api-key': newApiKey() }],
  ]
  for (const [what, headers] of cases) {
    it(`${what} gets 418`, async () => {
      const answer = await ask(headers)
      expect([answer.statusCode, answer.headers['www-authenticate'], answer.json()]).toEqual([
        418,
        'Bearer',
        refused,
      ])
    })
  }

  it('without credentials still reads the public sets', async () => {
    const regions = await app.inject({ method: 'GET', url: '/public/info/sandbox/regions' })
    expect(regions.json()).toMatchObject({ items: [{ code: 'onprem', tier: 3 }] })
    const profiles = await app.inject({ method: 'GET', url: '/public/info/sandbox/profiles' })
    expect(profiles.json<{ items: { id: string }[] }>().items.map((item) => item.id)).toEqual([
      'standard',
      'performance',
      'large',
      'xlarge',
    ])
  })
})
