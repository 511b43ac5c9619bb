import { randomBytes } from 'node:crypto'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../../../../testing/apps/answer.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeDepartment, makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { newId } from '../../../base/ids.ts'
import { isBeingBuilt } from '../../../builds/attempts/last-build-store.ts'
import { blockDigest, unblockDigest } from '../../../environments/operator/digest-blocks.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

const create = (body: Record<string, unknown>, principal = tenant.companyManager) =>
  api.call(environmentRoutes.createEnvironment, principal, { body })
const list = async (query: Record<string, string> = {}, principal = tenant.member) =>
  (await api.call(environmentRoutes.listEnvironments, principal, { query })).body
const countOf = async () =>
  (await db.selectFrom('environments').select('id').where('company_id', '=', tenant.companyId).execute())
    .length

it('is shown as blocked everywhere while the operator blocks the image of its newest built version', async () => {
  const { id: versionId, environmentId: id } = await makeEnvironmentVersion(db, tenant)
  const { promoted_digest: digest } = await db
    .updateTable('environment_versions')
    .set({ promoted_digest: `sha256:${randomBytes(32).toString('hex')}` })
    .where('id', '=', versionId)
    .returning('promoted_digest')
    .executeTakeFirstOrThrow()
  const states = async () => [
    (await api.must(environmentRoutes.readEnvironment, tenant.member, { params: { id } })).security_state,
    (await list()).items.find((item) => item.id === id)?.security_state,
  ]
  await blockDigest(db, { digest: digest ?? '', reason: 'miner', isBeingBuilt })
  expect(await states()).toEqual(['blocked', 'blocked'])
  const renamed = await api.must(environmentRoutes.updateEnvironment, tenant.companyManager, {
    params: { id },
    body: { name: 'Other' },
  })
  expect(renamed.security_state).toBe('blocked')
  await unblockDigest(db, digest ?? '')
  expect(await states()).toEqual(['clear', 'clear'])
})

describe('creating an environment', () => {
  it('belongs to the company unless a department is named', async () => {
    const made = await create({ name: 'Reports' })
    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      id: expect.stringMatching(/^env_[0-9a-f]{32}$/),
      company_id: tenant.companyId,
      owner_kind: 'company',
      owner_scope: 'company',
      owner_id: tenant.companyId,
      name: 'Reports',
      description: '',
      state: 'active',
      security_state: 'clear',
      current_version_id: null,
    })
    const owner = { owner_scope: 'department', owner_id: tenant.departmentId }
    const ours = await create({ name: 'Ours', ...owner }, tenant.departmentManager)
    expect(ours.body).toMatchObject(owner)
  })

  it('is made once for a key, however often it is sent', async () => {
    const headers = { 'idempotency-key': 'of one environment' }
    const once = (name: string) =>
      api.call(environmentRoutes.createEnvironment, tenant.companyManager, { body: { name }, headers })
    const [first, second] = await Promise.all([once('Reports'), once('Reports')])
    expect(second.body).toEqual(first.body)
    expect(codeOf(await once('Others'))).toBe('idempotency_conflict')
    expect(await countOf()).toBe(1)
  })

  it('is hidden from those who do not manage the owner, and stores nothing', async () => {
    const elsewhere = await makeDepartment(db, tenant.companyId)
    const other = await makeTenant(db)
    const refused = [
      await create({ name: 'a' }, tenant.member),
      await create({ name: 'a' }, tenant.departmentManager),
      await create({ name: 'a', owner_scope: 'department', owner_id: elsewhere }, tenant.departmentManager),
      await create({ name: 'a', owner_scope: 'department', owner_id: other.departmentId }),
      await create({ name: 'a', owner_scope: 'department', owner_id: newId('department') }),
      await create({ name: 'a', owner_id: other.companyId }),
    ]
    for (const answer of refused) expect([answer.status, answer.body]).toEqual([404, refused[0]?.body])
    expect(await countOf()).toBe(0)
  })

  it.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name of 257 characters', { name: 'x'.repeat(257) }],
    ['a NUL in the name', { name: 'a\0b' }],
    ['a chatroom as owner', { name: 'a', owner_scope: 'chatroom', owner_id: 'x' }],
    ['a department without its id', { name: 'a', owner_scope: 'department' }],
    ['a description of 2049 characters', { name: 'a', description: 'x'.repeat(2049) }],
    ['an unknown field', { name: 'a', colour: 'red' }],
  ])('refuses %s with 422', async (_what, body) => {
    const answer = await create(body)
    expect(answer.status).toBe(422)
    expect(answer.body.detail).toBeInstanceOf(Array)
    expect(await countOf()).toBe(0)
  })

  it('allows thirty active ones, also for concurrent requests, and one more after an archive', async () => {
    for (let made = 0; made < 27; made += 1) await api.environments.create(tenant.companyManager)
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ name: 'at once' })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused.map(codeOf)).toEqual(Array(3).fill('active_environment_limit'))
    const [first] = (await list()).items
    await api.must(environmentRoutes.archiveEnvironment, tenant.companyManager, {
      params: { id: first?.id ?? '' },
    })
    expect((await create({ name: 'one more' })).status).toBe(200)
    expect(codeOf(await create({ name: 'too many' }))).toBe('active_environment_limit')
  })
})

describe('reading environments', () => {
  it('shows those of the company and curated ones to every colleague, newest first, page by page', async () => {
    const curated = await makeEnvironmentVersion(db, { companyId: null })
    const made = []
    for (const name of ['a', 'b', 'c'])
      made.push(await api.environments.create(tenant.companyManager, { name }))
    const first = await list({ page_size: '2' })
    expect(first.items.map((item) => item.id)).toEqual([made[2]?.id, made[1]?.id])
    const second = await list({ page_size: '2', page_token: first.next_page_token ?? '' })
    expect(second.items.map((item) => item.id)).toEqual([made[0]?.id, curated.environmentId])
    const shown = await api.call(environmentRoutes.readEnvironment, tenant.member, {
      params: { id: curated.environmentId },
    })
    expect(shown.body).toMatchObject({ owner_kind: 'system_curated', company_id: null })
  })

  it('gives the same response for an unknown id and one of another company', async () => {
    const foreign = await api.environments.create((await makeTenant(db)).companyManager)
    const read = (id: string) =>
      api.call(environmentRoutes.readEnvironment, tenant.companyManager, { params: { id } })
    const answers = [await read(foreign.id), await read(newId('environment')), await read('anything')]
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([404, answers[0]?.body])
    expect((await list()).items.map((item) => item.id)).not.toContain(foreign.id)
  })

  it('lists archived ones only under retired and all', async () => {
    const kept = await api.environments.create(tenant.companyManager)
    const gone = await api.environments.create(tenant.companyManager)
    const archive = () =>
      api.call(environmentRoutes.archiveEnvironment, tenant.companyManager, { params: { id: gone.id } })
    expect((await archive()).body.state).toBe('archived')
    expect(codeOf(await archive())).toBe('illegal_transition')
    const ids = async (lifecycle: string) => (await list({ lifecycle })).items.map((item) => item.id)
    expect(await ids('active')).toContain(kept.id)
    expect(await ids('active')).not.toContain(gone.id)
    expect(await ids('retired')).toEqual([gone.id])
    expect(await ids('all')).toEqual(expect.arrayContaining([kept.id, gone.id]))
  })

  it('refuses sandbox-scope keys with 403', async () => {
    const apiKey = { id: 'key', scope: 'sandbox' as const, allowedChatroomIds: [tenant.roomId] }
    const key = { ...tenant.companyManager, authMethod: 'api_key' as const, apiKey }
    expect((await api.call(environmentRoutes.listEnvironments, key)).status).toBe(403)
    expect((await create({ name: 'a' }, key)).status).toBe(403)
  })
})

describe('changing an environment', () => {
  const patch = (id: string, body: Record<string, unknown>, principal = tenant.companyManager) =>
    api.call(environmentRoutes.updateEnvironment, principal, {
      params: { id },
      body,
    })

  it('changes name and description, and never the owner', async () => {
    const { id } = await api.environments.create(tenant.companyManager)
    expect((await patch(id, { name: 'New' })).body).toMatchObject({ name: 'New', description: '' })
    expect((await patch(id, { description: 'Text' })).body).toMatchObject({
      name: 'New',
      description: 'Text',
    })
    expect((await patch(id, { owner_id: tenant.departmentId })).status).toBe(422)
    expect(codeOf(await patch(id, {}))).toBe('no_fields')
  })

  it('is hidden from members, and refused once archived', async () => {
    const { id } = await api.environments.create(tenant.companyManager)
    const curated = await makeEnvironmentVersion(db, { companyId: null })
    expect((await patch(id, { name: 'x' }, tenant.member)).status).toBe(404)
    expect((await patch(curated.environmentId, { name: 'x' })).status).toBe(404)
    await api.must(environmentRoutes.archiveEnvironment, tenant.companyManager, { params: { id } })
    expect(codeOf(await patch(id, { name: 'x' }))).toBe('environment_archived')
  })
})
