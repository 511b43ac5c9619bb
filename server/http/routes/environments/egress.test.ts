import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant

beforeAll(async () => {
  tenant = await makeTenant(db)
})

interface Answer {
  status: number
  body: unknown
}

interface Owned {
  read: () => Promise<Answer>
  change: (list: unknown) => Promise<Answer>
}

async function ofEnvironment(): Promise<Owned> {
  const { environmentId: id } = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
  const params = { id }
  const by = tenant.companyManager
  return {
    read: () => api.call(extensionRoutes.readEnvironmentEgress, by, { params }),
    change: (list) =>
      api.call(extensionRoutes.changeEnvironmentEgress, by, {
        params,
        body: { allow_list: list },
      }),
  }
}

async function ofTask(): Promise<Owned> {
  const by = tenant.companyManager
  const { id } = await api.tasks.create(by, { scope: 'company', id: tenant.companyId })
  return {
    read: () => api.call(extensionRoutes.readTaskEgress, by, { params: { id } }),
    change: (list) =>
      api.call(extensionRoutes.changeTaskEgress, by, { params: { id }, body: { allow_list: list } }),
  }
}

describe.each([
  ['an environment', ofEnvironment],
  ['a task', ofTask],
])('the allow list of %s', (_of, make) => {
  test('is absent at first, and then the list that its owner sets', async () => {
    const { read, change } = await make()
    expect(await read()).toMatchObject({ status: 200, body: { allow_list: null } })
    const list = {
      domains: ['API.Example.org', '*.example.org', 'api.example.org'],
      cidrs: ['2001:4860::/32'],
    }
    const kept = { allow_list: { domains: ['api.example.org', '*.example.org'], cidrs: ['2001:4860::/32'] } }
    expect(await change(list)).toMatchObject({ status: 200, body: kept })
    expect((await read()).body).toEqual(kept)
    const nothing = { domains: [], cidrs: [] }
    expect((await change(nothing)).body).toEqual({ allow_list: nothing })
    expect((await change(null)).body).toEqual({ allow_list: null })
    expect((await read()).body).toEqual({ allow_list: null })
  })

  test.each([
    ['domains', 'exa mple.org', 'name_invalid'],
    ['domains', 'exämple.org', 'name_invalid'],
    ['domains', '*', 'name_invalid'],
    ['domains', '*.*.org', 'name_invalid'],
    ['domains', 'a.*.org', 'name_invalid'],
    ['domains', 'example.org.', 'name_invalid'],
    ['domains', '8.8.8.8', 'name_invalid'],
    ['domains', 'https://example.org', 'name_invalid'],
    ['domains', `${'a'.repeat(64)}.org`, 'name_invalid'],
    ['cidrs', '8.8.8.8', 'range_invalid'],
    ['cidrs', '8.8.8.8/24', 'range_invalid'],
    ['cidrs', 'example.org/24', 'range_invalid'],
    ['cidrs', '10.0.0.0/8', 'range_not_public'],
    ['cidrs', '0.0.0.0/0', 'range_not_public'],
    ['cidrs', '169.254.169.254/32', 'range_not_public'],
    ['cidrs', '::ffff:8.8.8.0/120', 'range_not_public'],
    ['cidrs', '::/0', 'range_not_public'],
  ])('refuses %s %s as %s, and keeps the former list', async (field, entry, type) => {
    const { read, change } = await make()
    const good = { domains: ['a.example'], cidrs: ['8.8.8.0/24'] }
    await change(good)
    const bad = { ...good, [field]: [...good[field as keyof typeof good], entry] }
    expect(await change(bad)).toMatchObject({
      status: 422,
      body: { detail: [{ type, loc: ['body', 'allow_list', field, 1] }] },
    })
    expect((await read()).body).toEqual({ allow_list: good })
  })

  test('refuses a value that is not a list', async () => {
    const { change } = await make()
    const many = Array.from({ length: 65 }, (_, at) => `n${at}.example`)
    const lists = [
      { domains: many, cidrs: [] },
      { domains: [] },
      { domains: [], cidrs: [], more: 1 },
      'x',
      undefined,
    ]
    for (const list of lists) expect((await change(list)).status).toBe(422)
  })
})
