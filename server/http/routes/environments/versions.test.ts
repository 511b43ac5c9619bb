import { capacityRetainedVersionLimitDefault } from '@sandbox-jobs/contract/limits.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../../../../testing/apps/answer.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { newId } from '../../../base/ids.ts'
import { getVersion } from '../../../environments/versions/ready-versions.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const digest = `sha256:${'a'.repeat(64)}`
let tenant: Tenant
let id: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  id = (await api.environments.create(tenant.companyManager)).id
})

const create = (body: Record<string, unknown>, principal = tenant.companyManager) =>
  api.call(environmentRoutes.createEnvironmentVersion, principal, {
    params: { id },
    body: { resource_profile: 'standard', ...body },
  })
const read = (vid: string, principal = tenant.member) =>
  api.call(environmentRoutes.readEnvironmentVersion, principal, { params: { id, vid } })
const archive = (vid: string, principal = tenant.companyManager) =>
  api.call(environmentRoutes.archiveEnvironmentVersion, principal, { params: { id, vid } })
const list = (query: Record<string, string> = {}) =>
  api.must(environmentRoutes.listEnvironmentVersions, tenant.member, { params: { id }, query })
const rows = () =>
  db.selectFrom('environment_versions').select('id').where('company_id', '=', tenant.companyId).execute()

describe('creating a version', () => {
  it('pins an archive, and numbers versions in their order', async () => {
    const object = await api.environments.upload(tenant.companyManager, id, Buffer.from('archive'))
    const { owned_object_id } = object
    const made = await create({ owned_object_id, source_ref: 'context.tar.gz', resource_profile: 'large' })
    expect(made.body).toEqual({
      id: expect.stringMatching(/^ver_[0-9a-f]{32}$/),
      environment_id: id,
      company_id: tenant.companyId,
      version_number: 1,
      state: 'draft',
      security_state: 'clear',
      resource_profile: 'large',
      capacity_retained: true,
      promoted_digest: null,
      composed_execution_digest: null,
      runner_release: null,
      runner_abi_revision: null,
      policy_revision: null,
      runner_release_approved: false,
      runner_release_next_action: expect.stringMatching(/./),
      region_readiness: { onprem: 'not_ready' },
      ready_at: null,
      verified_at: null,
      compressed_bytes: null,
      unpacked_bytes: null,
      last_build_attempt_id: '',
      last_build_status: '',
      last_build_terminal_class: '',
      last_build_stage_code: '',
      last_build_error_code: '',
      last_build_error_detail: '',
      build_stage: '',
      build_stage_index: 0,
      build_stage_count: 0,
      build_stage_since: null,
      build_expected_seconds: 0,
      build_next_action: expect.stringMatching(/./),
      source_digest: object.digest,
      source_ref: 'context.tar.gz',
    })
    const both = await create({ owned_object_id, source_digest: object.digest })
    expect(both.body.version_number).toBe(2)
    expect((await create({ source_digest: digest })).body.version_number).toBe(3)
  })

  it('gives every version its own number when many are created at once', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create({ source_digest: digest })))
    expect(answers.map(({ body }) => body.version_number).toSorted()).toEqual([1, 2, 3, 4, 5, 6])
  })

  it.each([
    ['neither object nor digest', {}],
    ['both as null', { owned_object_id: null, source_digest: null }],
    ['a digest in capitals', { source_digest: `sha256:${'A'.repeat(64)}` }],
    ['an object id of 37 characters', { owned_object_id: 'o'.repeat(37) }],
    ['a label of 1025 characters', { source_digest: digest, source_ref: 'x'.repeat(1025) }],
    ['the operator’s profile', { source_digest: digest, resource_profile: 'xlarge' }],
    ['no profile', { source_digest: digest, resource_profile: undefined }],
    ['an unknown field', { source_digest: digest, state: 'ready' }],
  ])('refuses %s with 422', async (_what, body) => {
    const answer = await create(body)
    expect([answer.status, Array.isArray(answer.body.detail)]).toEqual([422, true])
    expect(await rows()).toEqual([])
  })

  it('refuses an object and a digest that differ, and foreign objects', async () => {
    const { owned_object_id } = await api.environments.upload(
      tenant.companyManager,
      id,
      Buffer.from('archive'),
    )
    const mismatch = await create({ owned_object_id, source_digest: digest })
    expect([mismatch.status, codeOf(mismatch)]).toEqual([422, 'source_digest_mismatch'])
    const other = await api.environments.create(tenant.companyManager)
    const elsewhere = await api.environments.upload(tenant.companyManager, other.id, Buffer.from('archive'))
    expect((await create({ owned_object_id: elsewhere.owned_object_id })).status).toBe(404)
    expect((await create({ owned_object_id: newId('ownedObject') })).status).toBe(404)
    await db
      .updateTable('owned_objects')
      .set({ deletion_state: 'delete_pending' })
      .where('id', '=', owned_object_id)
      .execute()
    expect((await create({ owned_object_id })).status).toBe(404)
    expect(await rows()).toEqual([])
  })

  it('is hidden from members and on curated environments, and refused once archived', async () => {
    const curated = await makeEnvironmentVersion(db, { companyId: null })
    expect((await create({ source_digest: digest }, tenant.member)).status).toBe(404)
    const onCurated = await api.call(environmentRoutes.createEnvironmentVersion, tenant.companyManager, {
      params: { id: curated.environmentId },
      body: { source_digest: digest, resource_profile: 'standard' },
    })
    expect(onCurated.status).toBe(404)
    await api.must(environmentRoutes.archiveEnvironment, tenant.companyManager, { params: { id } })
    expect(codeOf(await create({ source_digest: digest }))).toBe('environment_archived')
  })

  it('allows a hundred versions of a company and no more, until one is no longer retained', async () => {
    const make = (number: number) => ({
      id: newId('environmentVersion'),
      company_id: tenant.companyId,
      environment_id: id,
      version_number: number + 1,
      resource_profile: 'standard',
      state: number % 2 ? 'retryable_failed' : 'draft',
    })
    const kept = Array.from({ length: capacityRetainedVersionLimitDefault - 1 }, (_, number) => make(number))
    const given = ['rejected', 'abandoned', 'archived'].map((state, at) => ({ ...make(500 + at), state }))
    await db
      .insertInto('environment_versions')
      .values([...kept, ...given])
      .execute()
    const answers = await Promise.all(Array.from({ length: 3 }, () => create({ source_digest: digest })))
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused.map(codeOf)).toEqual(Array(2).fill('version_allocation_exhausted'))
    expect((await archive(kept[0]?.id ?? '')).body).toMatchObject({
      state: 'archived',
      capacity_retained: false,
    })
    expect((await create({ source_digest: digest })).status).toBe(200)
  })
})

describe('reading versions', () => {
  it('hides the source from those who do not own it', async () => {
    const made = await api.environments.version(tenant.companyManager, id, { source_ref: 'secret-name.zip' })
    expect((await read(made.id)).body).toMatchObject({ id: made.id, source_digest: null, source_ref: null })
    expect((await read(made.id, tenant.companyManager)).body.source_ref).toBe('secret-name.zip')
  })

  it('answers unknown versions, those of another environment and of another company alike', async () => {
    const other = await api.environments.create(tenant.companyManager)
    const version = await api.environments.version(tenant.companyManager, other.id)
    const foreign = await makeTenant(db)
    const own = await api.environments.version(tenant.companyManager, id)
    const answers = [
      await read(newId('environmentVersion')),
      await read(version.id),
      await read(own.id, foreign.companyManager),
      await archive(own.id, tenant.member),
      await archive(own.id, foreign.companyManager),
    ]
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([404, answers[0]?.body])
    expect((await read(own.id)).body.state).toBe('draft')
  })

  it('lists newest first, page by page, archived ones apart', async () => {
    const made = []
    for (let number = 0; number < 3; number += 1)
      made.push(await api.environments.version(tenant.companyManager, id))
    await archive(made[1]?.id ?? '')
    const numbers = async (query: Record<string, string>) =>
      (await list(query)).items.map((item) => item.version_number)
    expect(await numbers({})).toEqual([3, 1])
    expect(await numbers({ lifecycle: 'retired' })).toEqual([2])
    const first = await list({ lifecycle: 'all', page_size: '2' })
    const second = { lifecycle: 'all', page_size: '2', page_token: first.next_page_token ?? '' }
    expect(await numbers(second)).toEqual([1])
    expect(await numbers({ page_token: 'no token' })).toEqual([3, 1])
  })

  it('offers the company’s and curated versions to other domains, and blocks them with their environment', async () => {
    const own = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
    const curated = await makeEnvironmentVersion(db, { companyId: null })
    const foreign = await makeEnvironmentVersion(db, { companyId: (await makeTenant(db)).companyId })
    expect(await getVersion(db, tenant.companyId, own.id)).toMatchObject({
      id: own.id,
      state: 'ready',
      security_state: 'clear',
    })
    expect((await getVersion(db, tenant.companyId, curated.id))?.id).toBe(curated.id)
    expect(await getVersion(db, tenant.companyId, foreign.id)).toBeUndefined()
    await db
      .updateTable('environments')
      .set({ security_state: 'blocked' })
      .where('id', '=', own.environmentId)
      .execute()
    expect((await getVersion(db, tenant.companyId, own.id))?.security_state).toBe('blocked')
  })
})

describe('archiving a version', () => {
  it('happens once, and never during a running build', async () => {
    const version = await api.environments.version(tenant.companyManager, id)
    await api.must(environmentRoutes.createBuild, tenant.companyManager, {
      params: { id, vid: version.id },
    })
    expect(codeOf(await archive(version.id))).toBe('illegal_transition')
    const draft = await api.environments.version(tenant.companyManager, id)
    expect((await archive(draft.id)).body.state).toBe('archived')
    expect(codeOf(await archive(draft.id))).toBe('illegal_transition')
  })
})
