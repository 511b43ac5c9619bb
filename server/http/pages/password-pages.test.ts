import { passwordAddressLifetimeSeconds } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeTenant, makeUser } from '../../../testing/factories/platform.ts'
import type { Principal } from '../../access/principal.ts'
import { updateUserRow } from '../../companies/user-store.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const password = 'correct horse battery'
let administrator: Principal
let logins = 0

beforeEach(async () => {
  const { companyId } = await makeTenant(db)
  administrator = { ...(await makeUser(db, companyId, { role: 4 })), credentialGeneration: 1 }
})

/** An address, as the path on this service, with the person that it is for. */
async function invite(by = administrator) {
  logins += 1
  const body = { login: `invited-${logins}` }
  const { user, address } = await api.must(allRoutes.inviteUser, by, { body })
  return { ...user, path: address.slice('http://test'.length) }
}
const open = (path: string, method: 'GET' | 'HEAD' = 'GET') => api.app.inject({ method, url: path })
const form = (url: string, fields: Record<string, string>) =>
  api.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })
const choose = async (path: string, chosen = password, again = chosen) =>
  (await form(path, { password: chosen, again })).statusCode
const logIn = async (login: string, chosen = password) =>
  (await form('/public/auth/token', { username: login, password: chosen })).statusCode
const keyOf = ({ companyId, principalId: id }: Principal) => ({ companyId, id })

describe('an invitation', () => {
  it('lets the person choose a password, with which they log in', async () => {
    const { login, path } = await invite()
    expect(await logIn(login)).toBe(418)
    const page = await open(path)
    expect([page.statusCode, page.body]).toEqual([200, expect.stringContaining(`value="${login}"`)])
    expect(await choose(path)).toBe(200)
    expect(await logIn(login)).toBe(200)
  })

  it('is recorded with the administrator, and the choice with the person', async () => {
    const { id, path } = await invite()
    await choose(path)
    const rows = await db.selectFrom('audit_pending').select('context').where('object_id', '=', id).execute()
    expect(rows.map(({ context }) => JSON.parse(context))).toMatchObject([
      { action: 'inviteUser', actor_id: administrator.principalId },
      { action: 'choosePassword', actor_id: id },
    ])
  })

  it('is good once, and of two at once one is', async () => {
    const { login, path } = await invite()
    const others = ['another password 1', 'another password 2']
    const statuses = await Promise.all(others.map((other) => choose(path, other)))
    expect(statuses.toSorted()).toEqual([200, 404])
    const chosen = others[statuses.indexOf(200)]
    expect([await choose(path), (await open(path)).statusCode]).toEqual([404, 404])
    expect([await logIn(login), await logIn(login, chosen)]).toEqual([418, 200])
  })

  it('is not used up by programs that open it', async () => {
    const { path } = await invite()
    for (const method of ['GET', 'HEAD', 'GET'] as const) await open(path, method)
    expect(await choose(path)).toBe(200)
  })

  it('shows the form again for a password that is short, long, not repeated or not text', async () => {
    const { path } = await invite()
    for (const [chosen, again] of [
      ['short'],
      ['x'.repeat(257)],
      [password, `${password}!`],
      ['with\0nul byte'],
    ])
      expect(await choose(path, chosen, again)).toBe(422)
    for (const fields of [{ password }, { password, again: password, role: '4' }]) {
      const { statusCode, body } = await form(path, fields)
      expect([statusCode, body]).toEqual([422, expect.stringContaining('name="again"')])
    }
    expect(await choose(path)).toBe(200)
  })

  it('ends after three days', async () => {
    const { path } = await invite()
    api.pass((passwordAddressLifetimeSeconds + 1) * 1000)
    expect([(await open(path)).statusCode, await choose(path)]).toEqual([404, 404])
  })

  it('is not good for a disabled person, also after they are enabled again', async () => {
    const { id, company_id: companyId, path } = await invite()
    await updateUserRow(db, { companyId, id }, { disabledAt: new Date() })
    expect([(await open(path)).statusCode, await choose(path)]).toEqual([404, 404])
    await updateUserRow(db, { companyId, id }, { disabledAt: null })
    expect(await choose(path)).toBe(404)
  })
})

describe('an address', () => {
  it('that nobody signed gets the same page, whatever it is', async () => {
    const { path } = await invite()
    const changed = `${path.slice(0, -2)}${path.endsWith('AA') ? 'BB' : 'AA'}`
    const forged = [
      changed,
      '/password',
      '/password?token=',
      `${path}&token=x`,
      `${path}&x=1`,
      '/password?token=%00',
    ]
    const pages = await Promise.all(
      forged.flatMap((url) => [open(url), form(url, { password, again: password })]),
    )
    expect(new Set(pages.map(({ statusCode, body }) => `${statusCode} ${body}`)).size).toBe(1)
    expect(pages[0]?.statusCode).toBe(404)
  })

  it('has a page that runs nothing, is kept nowhere and names its address to nobody', async () => {
    const { path } = await invite()
    const { headers } = await open(path)
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/)
    expect([headers['cache-control'], headers['referrer-policy'], headers['set-cookie']]).toEqual([
      'no-store',
      'no-referrer',
      undefined,
    ])
  })

  it('ends with the administrator who made it: dismissed, demoted, or with another password', async () => {
    const { companyId } = administrator
    await makeUser(db, companyId, { role: 4 })
    for (const change of [{ disabledAt: new Date() }, { role: 3 }, { passwordHash: 'none' }]) {
      const leaving = { ...(await makeUser(db, companyId, { role: 4 })), credentialGeneration: 1 }
      const { login, path } = await invite(leaving)
      await updateUserRow(db, keyOf(leaving), change)
      expect(await choose(path)).toBe(404)
      expect(await logIn(login)).toBe(418)
    }
  })

  it('that came by an API key ends with the key', async () => {
    const body = { name: 'directory', scope: 'full' }
    const key = await api.must(allRoutes.createApiKey, administrator, { body })
    const byKey: Principal = {
      ...administrator,
      authMethod: 'api_key',
      apiKey: { id: key.id, scope: 'full', allowedChatroomIds: [] },
    }
    const [first, second] = [await invite(byKey), await invite(byKey)]
    expect(await choose(first.path)).toBe(200)
    await api.must(allRoutes.revokeApiKey, administrator, { params: { id: key.id } })
    expect(await choose(second.path)).toBe(404)
  })
})

describe('a reset by address', () => {
  const reset = async (id: string, by = administrator) => {
    const { address } = await api.must(allRoutes.createPasswordAddress, by, { params: { id } })
    return address.slice('http://test'.length)
  }

  it('ends the password, the logins and the addresses from before', async () => {
    const { id, login, path } = await invite()
    await choose(path)
    const earlier = await reset(id)
    expect(await logIn(login)).toBe(418)
    const later = await reset(id)
    expect([await choose(earlier), await choose(later, 'quite another one')]).toEqual([404, 200])
    expect(await logIn(login, 'quite another one')).toBe(200)
    const { credential_generation } = await db
      .selectFrom('users')
      .select('credential_generation')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(credential_generation).toBe(5)
  })

  it('is replaced by a password that an administrator sets', async () => {
    const { id } = await invite()
    const path = await reset(id)
    const body = { password: 'set by somebody' }
    await api.must(allRoutes.updateUser, administrator, { params: { id }, body })
    expect(await choose(path)).toBe(404)
  })

  it('works for administrators themselves', async () => {
    expect(await choose(await reset(administrator.principalId))).toBe(200)
  })

  it('works for two administrators who reset each other and choose at once', async () => {
    const { companyId } = administrator
    const one = await makeUser(db, companyId, { role: 4 })
    const two = await makeUser(db, companyId, { role: 4 })
    const paths = [await reset(two.principalId, one), await reset(one.principalId, two)]
    const choosing = await db.transaction().execute(async (trx) => {
      // Both come as far as they can while nothing is changed.
      await trx.selectFrom('users').select('id').where('company_id', '=', companyId).forShare().execute()
      const both = Promise.all(paths.map((path) => choose(path)))
      await eventually(async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          db,
        )
        expect(rows).toHaveLength(2)
      })
      return { both }
    })
    expect(await choosing.both).toEqual([200, 200])
  })

  it('is for the people of the own company', async () => {
    const { companyId } = await makeTenant(db)
    const stranger = await makeUser(db, companyId)
    const params = { id: stranger.principalId }
    const { status } = await api.call(allRoutes.createPasswordAddress, administrator, { params })
    expect(status).toBe(404)
  })
})
