import { beforeAll, describe, expect, it } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeDepartment, makeRoom, makeTenant, makeUser } from '../../../../testing/factories/platform.ts'

const { db } = await createTestDatabase()
const { app, tokens } = new TestApi(db)
const tenant = await makeTenant(db)
const { companyId, departmentId, roomId } = tenant
const stranger = await makeTenant(db)
const administrator = await makeUser(db, companyId, { role: 4 })

beforeAll(() => app.ready())

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const callAs = async (principal: { principalId: string; companyId: string }) => {
  const { principalId: userId, companyId: company } = principal
  const token = await tokens.sign({ userId, companyId: company, generation: 1 })
  return async (method: Method, path: string, payload?: object) => {
    const answer = await app.inject({
      method,
      url: path.startsWith('/private') ? path : `/private/platform/${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(payload && { payload }),
    })
    return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
  }
}

const call = await callAs(administrator)
const coded = (status: number, code: string) => ({ status, body: { detail: { code } } })
const ids = (answer: { body: Record<string, unknown> }) =>
  (answer.body.items as { id: string }[]).map((item) => item.id)

describe('the directory over HTTP', () => {
  it('is only for administrators', async () => {
    for (const role of [1, 2, 3]) {
      const other = await callAs(await makeUser(db, companyId, { role }))
      for (const path of ['company', 'departments', 'chatrooms', 'users', 'api-keys', `users/${roomId}`]) {
        expect(await other('GET', path)).toMatchObject(coded(403, 'insufficient_permissions'))
      }
    }
  })

  it('gives the same response for what is absent and what belongs to another company', async () => {
    const victim = await makeUser(db, stranger.companyId, { role: 4 })
    const attempts: [Method, (id: string) => string, string, object?][] = [
      ['GET', (id) => `departments/${id}`, stranger.departmentId],
      ['PATCH', (id) => `departments/${id}`, stranger.departmentId, { name: 'mine' }],
      ['GET', (id) => `chatrooms/${id}`, stranger.roomId],
      ['PATCH', (id) => `chatrooms/${id}`, stranger.roomId, { name: 'mine' }],
      ['DELETE', (id) => `chatrooms/${id}`, stranger.roomId],
      ['GET', (id) => `chatrooms/${id}/members`, stranger.roomId],
      ['PUT', (id) => `chatrooms/${id}/members/${administrator.principalId}`, stranger.roomId],
      ['PUT', (id) => `chatrooms/${roomId}/members/${id}`, victim.principalId],
      ['DELETE', (id) => `chatrooms/${roomId}/members/${id}`, victim.principalId],
      ['GET', (id) => `users/${id}`, victim.principalId],
      ['PATCH', (id) => `users/${id}`, victim.principalId, { password: 'a new password' }],
    ]
    for (const [method, path, id, payload] of attempts) {
      const theirs = await call(method, path(id), payload)
      expect([path(id), theirs]).toMatchObject([path(id), coded(404, 'not_found')])
      expect(theirs).toEqual(await call(method, path('nothing_here'), payload))
    }
    expect(
      await call('POST', 'chatrooms', { department_id: stranger.departmentId, name: 'x' }),
    ).toMatchObject(coded(404, 'not_found'))
    expect(
      await call('PATCH', `chatrooms/${roomId}`, { department_id: stranger.departmentId }),
    ).toMatchObject(coded(404, 'not_found'))
  })

  it('refuses unknown fields, NUL and empty changes', async () => {
    expect((await call('POST', 'departments', { name: 'x', company_id: stranger.companyId })).status).toBe(
      422,
    )
    expect((await call('POST', 'departments', { name: 'a\0b' })).status).toBe(422)
    expect(await call('PATCH', `departments/${departmentId}`, {})).toMatchObject(coded(422, 'no_fields'))
    expect(await call('PATCH', `chatrooms/${roomId}`, {})).toMatchObject(coded(422, 'no_fields'))
    expect(await call('PATCH', `users/${administrator.principalId}`, {})).toMatchObject(
      coded(422, 'no_fields'),
    )
  })

  it('pages through a list without gap or repetition', async () => {
    const company = await makeTenant(db)
    const admin = await callAs(await makeUser(db, company.companyId, { role: 4 }))
    const made = [company.departmentId]
    for (let n = 0; n < 4; n += 1) made.push(await makeDepartment(db, company.companyId))
    const seen: string[] = []
    let token: unknown = ''
    while (typeof token === 'string') {
      const page = await admin('GET', `departments?page_size=2&page_token=${token}`)
      seen.push(...ids(page))
      token = page.body.next_page_token
    }
    expect(seen).toEqual(made.toSorted())
  })
})

describe('departments and chatrooms', () => {
  it('are listed only to their members and managers', async () => {
    const departmentId = await makeDepartment(db, companyId)
    const [own, second] = [
      await makeRoom(db, { companyId, departmentId }),
      await makeRoom(db, { companyId, departmentId }),
    ]
    const member = await makeUser(db, companyId, { role: 1 })
    const flagged = await makeUser(db, companyId, { role: 1 })
    await call('PUT', `chatrooms/${own}/members/${member.principalId}`)
    await call('PUT', `chatrooms/${own}/members/${flagged.principalId}`, { room_manager: true })
    const listed = async (person: { principalId: string; companyId: string }) => {
      const answer = await (await callAs(person))(
        'GET',
        '/private/module/sandbox_ext/chatrooms?page_size=100',
      )
      return (answer.body.items as { id: string; manages: boolean }[]).map((room) => [room.id, room.manages])
    }

    expect(await listed(member)).toEqual([[own, false]])
    expect(await listed(flagged)).toEqual([[own, true]])
    const all = await listed(administrator)
    expect(all).toContainEqual([second, true])
    expect(all).not.toContainEqual([stranger.roomId, true])
    await call('DELETE', `chatrooms/${own}`)
    expect(await listed(member)).toEqual([])
  })

  it('are named to those who manage them', async () => {
    const managed = await makeDepartment(db, companyId)
    const named = await call('PATCH', `departments/${managed}`, { name: 'Named' })
    const manager = await makeUser(db, companyId, { role: 2, manages: [managed] })
    const room = await makeRoom(db, { companyId, departmentId: managed })
    const read = async (person: { principalId: string; companyId: string }, path: string) => {
      const answer = await (await callAs(person))('GET', `/private/module/sandbox_ext/${path}?page_size=100`)
      return answer.body.items as { id: string; name: string; department_name?: string }[]
    }
    expect(await read(manager, 'departments')).toEqual([{ id: managed, name: named.body.name }])
    expect(await read(await makeUser(db, companyId), 'departments')).toEqual([])
    const all = (await read(administrator, 'departments')).map(({ id }) => id)
    expect(all).toContain(managed)
    expect(all).not.toContain(stranger.departmentId)
    expect(await read(manager, 'chatrooms')).toMatchObject([{ id: room, department_name: 'Named' }])
  })

  it('have unique names', async () => {
    const first = await call('POST', 'departments', { name: 'sales' })
    expect(first.body).toMatchObject({ company_id: companyId, name: 'sales' })
    expect(await call('POST', 'departments', { name: 'sales' })).toMatchObject(coded(409, 'already_exists'))
    const room = { department_id: first.body.id, name: 'floor' }
    expect((await call('POST', 'chatrooms', room)).status).toBe(200)
    expect(await call('POST', 'chatrooms', room)).toMatchObject(coded(409, 'already_exists'))
    expect((await call('POST', 'chatrooms', { ...room, department_id: departmentId })).status).toBe(200)
  })

  it('get a new authority generation on a move, not on a rename', async () => {
    const room = await makeRoom(db, tenant)
    const target = await makeDepartment(db, companyId)
    const renamed = await call('PATCH', `chatrooms/${room}`, {
      name: 'new name',
      department_id: departmentId,
    })
    expect(renamed.body).toMatchObject({ name: 'new name', authority_generation: 1 })
    const moved = await call('PATCH', `chatrooms/${room}`, { department_id: target })
    expect(moved.body).toMatchObject({ department_id: target, authority_generation: 2 })
  })

  it('are deleted for good: a deleted room has no members, is listed as retired, and frees its name', async () => {
    const room = await makeRoom(db, tenant)
    await makeUser(db, companyId, { memberOf: [room] })
    const deleted = await call('DELETE', `chatrooms/${room}`)
    expect(deleted.body).toMatchObject({ id: room, authority_generation: 2, deleted_at: expect.any(String) })
    expect(await call('DELETE', `chatrooms/${room}`)).toMatchObject(coded(404, 'not_found'))
    expect(await call('PATCH', `chatrooms/${room}`, { name: 'x' })).toMatchObject(coded(404, 'not_found'))
    expect(await call('GET', `chatrooms/${room}/members`)).toMatchObject(coded(404, 'not_found'))
    expect(ids(await call('GET', 'chatrooms?lifecycle=retired'))).toContain(room)
    expect(ids(await call('GET', 'chatrooms'))).not.toContain(room)
    expect((await call('POST', 'chatrooms', { department_id: departmentId, name: room })).status).toBe(200)
  })
})

describe('members', () => {
  it('are added, changed and removed', async () => {
    const { principalId: user } = await makeUser(db, companyId)
    const member = `chatrooms/${roomId}/members/${user}`
    expect((await call('PUT', member)).body).toMatchObject({ user_id: user, room_manager: false })
    expect((await call('PUT', member, { room_manager: true })).body).toMatchObject({ room_manager: true })
    expect((await call('PUT', member, {})).body).toMatchObject({ room_manager: true })
    const listed = await call('GET', `chatrooms/${roomId}/members`)
    expect(listed.body.items).toEqual([
      { chatroom_id: roomId, user_id: user, display_name: user, room_manager: true },
    ])
    expect((await call('DELETE', member)).status).toBe(200)
    expect(await call('DELETE', member)).toMatchObject(coded(404, 'not_found'))
  })
})

describe('users', () => {
  const password = 'a long password'

  it('are created without showing their password', async () => {
    const made = await call('POST', 'users', { login: 'zoe', password })
    expect(made.body).toMatchObject({ login: 'zoe', display_name: 'zoe', role: 1, disabled_at: null })
    expect(Object.keys(made.body)).not.toContain('password_hash')
    expect(await call('POST', 'users', { login: 'zoe', password })).toMatchObject(
      coded(409, 'already_exists'),
    )
  })

  it('share one space of logins with every company', async () => {
    const theirs = await callAs(await makeUser(db, stranger.companyId, { role: 4 }))
    expect((await theirs('POST', 'users', { login: 'shared', password })).status).toBe(200)
    expect(await call('POST', 'users', { login: 'shared', password })).toMatchObject(
      coded(409, 'already_exists'),
    )
  })

  it('manage departments of their company, in the role for it', async () => {
    const base = { password, login: 'manager' }
    for (const wrong of [
      { ...base, role: 1, managed_department_ids: [departmentId] },
      { ...base, role: 2, managed_department_ids: [stranger.departmentId] },
    ]) {
      expect(await call('POST', 'users', wrong)).toMatchObject(coded(422, 'managed_departments_invalid'))
    }
    const made = await call('POST', 'users', { ...base, role: 2, managed_department_ids: [departmentId] })
    expect(made.body).toMatchObject({ managed_department_ids: [departmentId] })
    const promoted = await call('PATCH', `users/${made.body.id}`, { role: 3 })
    expect(promoted.body).toMatchObject({ role: 3, managed_department_ids: [] })
  })

  it('always include an administrator', async () => {
    const company = await makeTenant(db)
    const first = await makeUser(db, company.companyId, { role: 4 })
    const admin = await callAs(first)
    const path = `users/${first.principalId}`
    expect(await admin('PATCH', path, { role: 3 })).toMatchObject(coded(409, 'last_administrator'))
    expect(await admin('PATCH', path, { disabled: true })).toMatchObject(coded(409, 'last_administrator'))
    const second = await makeUser(db, company.companyId, { role: 4 })
    const outcomes = await Promise.all([
      admin('PATCH', path, { disabled: true }),
      (await callAs(second))('PATCH', `users/${second.principalId}`, { disabled: true }),
    ])
    expect(outcomes.map((outcome) => outcome.status).toSorted()).toEqual([200, 409])
  })

  it('are listed as retired when they are disabled', async () => {
    const { principalId: user } = await makeUser(db, companyId)
    await call('PATCH', `users/${user}`, { disabled: true })
    expect(ids(await call('GET', 'users?page_size=100'))).not.toContain(user)
    expect(ids(await call('GET', 'users?page_size=100&lifecycle=retired'))).toContain(user)
    const enabled = await call('PATCH', `users/${user}`, { disabled: false })
    expect(enabled.body).toMatchObject({ disabled_at: null })
  })
})

describe('API keys', () => {
  it('are shown once, work, and become invalid when they are revoked', async () => {
    const made = await call('POST', 'api-keys', { name: 'ci', scope: 'full' })
    const key = String(made.body.api_key)
    expect(made.body).toMatchObject({ owner_user_id: administrator.principalId, domains: ['*'] })
    const use = () =>
      app.inject({ method: 'GET', url: '/private/platform/company', headers: { 'x-api-key': key } })
    expect((await use()).statusCode).toBe(200)
    const read = await call('GET', `api-keys/${made.body.id}`)
    expect(JSON.stringify(read.body)).not.toContain(key)
    expect(read.body.last_used_at).not.toBeNull()
    expect(await call('POST', 'api-keys', { name: 'ci', scope: 'full' })).toMatchObject(
      coded(409, 'already_exists'),
    )
    expect((await call('POST', `api-keys/${made.body.id}/revoke`)).status).toBe(200)
    expect((await use()).statusCode).toBe(418)
    expect(await call('POST', `api-keys/${made.body.id}/revoke`)).toMatchObject(
      coded(409, 'illegal_transition'),
    )
    expect((await call('POST', 'api-keys', { name: 'ci', scope: 'full' })).status).toBe(200)
  })

  it('of sandbox scope must name live rooms that their owner can use', async () => {
    const owner = await makeUser(db, companyId, { memberOf: [roomId] })
    const otherRoom = await makeRoom(db, tenant)
    const base = { name: 'rooms', owner_user_id: owner.principalId }
    for (const wrong of [
      { ...base, scope: 'sandbox' },
      { ...base, scope: 'full', allowed_chatroom_ids: [roomId] },
      { ...base, scope: 'sandbox', allowed_chatroom_ids: [roomId, otherRoom] },
      { ...base, scope: 'sandbox', allowed_chatroom_ids: [stranger.roomId] },
    ]) {
      expect(await call('POST', 'api-keys', wrong)).toMatchObject(coded(422, 'allowed_chatrooms_invalid'))
    }
    const made = await call('POST', 'api-keys', { ...base, scope: 'sandbox', allowed_chatroom_ids: [roomId] })
    expect(made.body).toMatchObject({ allowed_chatroom_ids: [roomId] })
  })

  it('have owners of the company, origins for domains and an end in the future', async () => {
    const theirs = await makeUser(db, stranger.companyId)
    const base = { name: 'bad', scope: 'full' }
    expect(await call('POST', 'api-keys', { ...base, owner_user_id: theirs.principalId })).toMatchObject(
      coded(404, 'not_found'),
    )
    for (const domains of [['app.example'], ['https://app.example/'], ['*', 'https://app.example'], []]) {
      expect((await call('POST', 'api-keys', { ...base, domains })).status).toBe(422)
    }
    for (const expires_at of ['2020-01-01T00:00:00Z', 'tomorrow']) {
      expect((await call('POST', 'api-keys', { ...base, expires_at })).status).toBe(422)
    }
  })
})
