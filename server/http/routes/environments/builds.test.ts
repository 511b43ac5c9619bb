import { queuedBuildLimitDefault } from '@sandbox-jobs/contract/limits.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { sql } from 'kysely'
import pg from 'pg'
import { beforeEach, describe, expect, it } from 'vitest'
import { codeOf } from '../../../../testing/apps/answer.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { newId } from '../../../base/ids.ts'
import { buildSlots } from '../../../builds/attempts/build-limits.ts'
import { finishAttempt } from '../../../builds/attempts/claims/attempt-end-store.ts'
import { advance } from '../../../builds/attempts/claims/attempt-progress-store.ts'
import { claimNextAttempt } from '../../../builds/attempts/claims/claim-attempt-store.ts'
import type { AttemptRow } from '../../../builds/attempts/claims/claimed-attempt-store.ts'
import { buildsQueuedChannel } from '../../../builds/attempts/enqueue-build.ts'
import { buildStages } from '../../../environments/versions/build-stages.ts'

const { db, url } = await createTestDatabase()
const api = new TestApi(db)
let tenant: Tenant
let id: string
let vid: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  id = (await api.environments.create(tenant.companyManager)).id
  vid = (await api.environments.version(tenant.companyManager, id)).id
})

/** Ends the builds of earlier tests in this file, so that the next claim takes this test's attempt. */
beforeEach(async () => {
  await db
    .updateTable('build_attempts')
    .set({ state: 'cancelled', terminal_at: sql`now()` })
    .where('terminal_at', 'is', null)
    .execute()
})

const queue = (body?: unknown, principal = tenant.companyManager, of = { id, vid }) =>
  api.call(environmentRoutes.createBuild, principal, { params: of, body })
const retry = () => api.call(environmentRoutes.retryBuild, tenant.companyManager, { params: { id, vid } })
const read = (aid: string, principal = tenant.companyManager) =>
  api.call(environmentRoutes.readBuild, principal, { params: { id, vid, aid } })
const cancel = (aid: string, principal = tenant.companyManager) =>
  api.call(environmentRoutes.cancelBuild, principal, { params: { id, vid, aid } })
const list = (query: Record<string, string | string[]> = {}) =>
  api.must(environmentRoutes.listBuilds, tenant.member, { params: { id, vid }, query })
const version = () =>
  api.must(environmentRoutes.readEnvironmentVersion, tenant.companyManager, {
    params: { id, vid },
  })

/** Claims the queued attempt, as a worker does. */
async function claim(): Promise<AttemptRow> {
  const attempt = await claimNextAttempt(db, {
    worker: 'tester',
    leaseMs: 60_000,
    share: buildSlots({ slots: 64 }),
  })
  if (!attempt) throw new Error('nothing to claim')
  return attempt
}

async function failBuild(
  errorCode: 'dockerfile_exit' | 'context_invalid',
  errorDetail = '',
): Promise<AttemptRow> {
  const attempt = await claim()
  await db
    .transaction()
    .execute((trx) => finishAttempt(trx, attempt, { state: 'customer_failed', errorCode, errorDetail }))
  return attempt
}

const ageVersion = (interval: string) =>
  db
    .updateTable('environment_versions')
    .set({ state_changed_at: sql`now() - ${interval}::interval` })
    .where('id', '=', vid)
    .execute()

describe('queueing a build', () => {
  it('queues attempt and version together, and notifies the workers', async () => {
    const listener = new pg.Client(url)
    await listener.connect()
    await listener.query(`listen ${buildsQueuedChannel}`)
    const notified = new Promise((resolve) =>
      listener.once('notification', (message) => resolve(message.payload)),
    )
    const { status, body } = await queue()
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.stringMatching(/^bld_[0-9a-f]{32}$/),
      company_id: tenant.companyId,
      environment_version_id: vid,
      attempt_number: 1,
      status: 'validation_queued',
      phase: '',
      stage_code: 'build_queued',
      error_code: '',
      error_detail: '',
      terminal_class: '',
      build_region: 'onprem',
      build_profile: 'standard',
      raw_upload_digest: `sha256:${'a'.repeat(64)}`,
      canonical_digest: '',
      queued_at: expect.stringMatching(/Z$/),
      retryable_until: null,
      report_total_bytes: 0,
      stage_index: 0,
      stage_count: 0,
      stage_since: expect.stringMatching(/Z$/),
      next_action: expect.stringMatching(/./),
    })
    expect(await notified).toBe(body.id)
    await listener.end()
    expect(await version()).toMatchObject({
      state: 'build_queued',
      last_build_attempt_id: body.id,
      last_build_status: 'validation_queued',
      build_stage: 'build_queued',
      build_stage_index: 0,
    })
  })

  it('takes a region of the deployment and a build profile, and nothing else', async () => {
    const hosted = await queue({ build_region: 'asia-east1' })
    expect([hosted.status, codeOf(hosted)]).toEqual([422, 'build_region_unavailable'])
    expect((await queue({ build_region: 'moon' })).status).toBe(422)
    expect((await queue({ build_profile: 'xlarge' })).status).toBe(422)
    expect((await queue({ priority: 1 })).status).toBe(422)
    expect((await list()).items).toEqual([])
    const answer = await queue({ build_region: 'onprem', build_profile: 'fast' })
    expect(answer.body).toMatchObject({ build_region: 'onprem', build_profile: 'fast' })
  })

  it('accepts one build of a version, however many are requested at once', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => queue()))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const refused = answers.filter(({ status }) => status === 409)
    expect(refused.map(codeOf)).toEqual(Array(4).fill('nonterminal_exists'))
    expect((await list()).items).toHaveLength(1)
  })

  it('accepts twenty of a company, also concurrently, and counts only waiting ones', async () => {
    for (let queued = 0; queued < queuedBuildLimitDefault - 2; queued += 1) {
      const other = await api.environments.version(tenant.companyManager, id)
      await queue(undefined, tenant.companyManager, { id, vid: other.id })
    }
    const others = await Promise.all(
      Array.from({ length: 4 }, () => api.environments.version(tenant.companyManager, id)),
    )
    const answers = await Promise.all(
      others.map((other) => queue(undefined, tenant.companyManager, { id, vid: other.id })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(answers.filter(({ status }) => status === 429).map(codeOf)).toEqual(
      Array(2).fill('sandbox_queued_build_limit'),
    )
    await claim()
    expect((await queue()).status).toBe(200)
  })

  it('refuses versions that a build cannot start from', async () => {
    await queue()
    await failBuild('context_invalid', 'dockerfile_too_large')
    const ended = await db
      .updateTable('build_attempts')
      .set({ terminal_at: new Date('2030-01-01T00:00:00Z') })
      .where('environment_version_id', '=', vid)
      .returning('id')
      .executeTakeFirstOrThrow()
    expect(await version()).toMatchObject({
      state: 'rejected',
      build_stage: 'terminal',
      build_stage_since: '2030-01-01T00:00:00.000Z',
      runner_release_next_action: 'Build a new version: this one cannot be built any more.',
    })
    expect((await list()).items).toMatchObject([{ id: ended.id, stage_since: '2030-01-01T00:00:00.000Z' }])
    const refused = await queue()
    expect([refused.status, codeOf(refused)]).toEqual([409, 'build_not_eligible'])
    const draft = (await api.environments.version(tenant.companyManager, id)).id
    await api.must(environmentRoutes.archiveEnvironment, tenant.companyManager, { params: { id } })
    expect(codeOf(await queue(undefined, tenant.companyManager, { id, vid: draft }))).toBe(
      'environment_archived',
    )
  })

  it('is cancelled with its environment while it waits, and continues when it is running', async () => {
    const waiting = (await queue()).body
    const started = (await api.environments.version(tenant.companyManager, id)).id
    const { id: startedId } = (await queue(undefined, tenant.companyManager, { id, vid: started })).body
    await db
      .updateTable('build_attempts')
      .set({ state: 'validating', worker: 'w', lease_until: new Date(Date.now() + 60_000) })
      .where('id', '=', startedId)
      .execute()
    await api.must(environmentRoutes.archiveEnvironment, tenant.companyManager, { params: { id } })
    const rows = await db
      .selectFrom('build_attempts')
      .select(['id', 'state', 'error_code'])
      .where('id', 'in', [waiting.id, startedId])
      .orderBy('id')
      .execute()
    expect(rows).toEqual([
      { id: waiting.id, state: 'cancelled', error_code: 'tenant_cancel' },
      { id: startedId, state: 'validating', error_code: '' },
    ])
  })

  it('is hidden from members, other companies and under another environment', async () => {
    const foreign = await makeTenant(db)
    const other = await api.environments.create(tenant.companyManager)
    const answers = [
      await queue(undefined, tenant.member),
      await queue(undefined, foreign.companyManager),
      await queue(undefined, tenant.companyManager, { id: other.id, vid }),
      await queue(undefined, tenant.companyManager, { id, vid: newId('environmentVersion') }),
    ]
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([404, answers[0]?.body])
    expect((await list()).items).toEqual([])
  })
})

describe('reading builds', () => {
  it('shows progress along the chain on attempt and version', async () => {
    const aid = (await queue()).body.id
    const attempt = await claim()
    await db.transaction().execute((trx) =>
      advance(trx, attempt, {
        states: ['build_queued'],
        stages: [{ stage: 'context_validator', agoMs: 0 }],
      }),
    )
    await db.transaction().execute((trx) =>
      advance(trx, attempt, {
        states: ['building'],
        stages: [{ stage: 'customer_build', agoMs: 0 }],
        version: { to: 'building' },
      }),
    )
    const { body } = await read(aid, tenant.member)
    expect(body).toMatchObject({
      status: 'building',
      stage_code: 'customer_build',
      stage_index: 2,
      stage_count: buildStages.length,
    })
    expect(await version()).toMatchObject({
      state: 'building',
      build_stage: 'customer_build',
      build_stage_index: 2,
      build_stage_count: buildStages.length,
      build_expected_seconds: 60,
    })
  })

  it('shows the failed rule only to owners', async () => {
    const aid = (await queue()).body.id
    await failBuild('dockerfile_exit', 'exit_1')
    const owner = (await read(aid)).body
    expect(owner).toMatchObject({
      status: 'customer_failed',
      terminal_class: 'customer_failed',
      error_code: 'dockerfile_exit',
      error_detail: 'exit_1',
      stage_index: 0,
    })
    expect(Date.parse(owner.retryable_until ?? '')).toBeGreaterThan(Date.now() + 6.9 * 86_400_000)
    const hidden = { error_code: 'dockerfile_exit', error_detail: '', raw_upload_digest: '' }
    expect((await read(aid, tenant.member)).body).toMatchObject(hidden)
    expect(await version()).toMatchObject({
      state: 'retryable_failed',
      last_build_terminal_class: 'customer_failed',
      last_build_error_detail: 'exit_1',
      build_stage: 'terminal',
    })
  })

  it('lists newest first, page by page, and by status', async () => {
    await queue()
    await failBuild('dockerfile_exit')
    await retry()
    await failBuild('dockerfile_exit')
    await retry()
    const numbers = async (query: Record<string, string | string[]>) =>
      (await list(query)).items.map((item) => item.attempt_number)
    expect(await numbers({})).toEqual([3, 2, 1])
    expect(await numbers({ status: 'customer_failed' })).toEqual([2, 1])
    expect(await numbers({ status: ['customer_failed', 'validation_queued'] })).toEqual([3, 2, 1])
    expect(await numbers({ status: 'completed' })).toEqual([])
    const first = await list({ page_size: '2' })
    expect(await numbers({ page_size: '2', page_token: first.next_page_token ?? '' })).toEqual([1])
    const odd = await api.call(environmentRoutes.listBuilds, tenant.member, {
      params: { id, vid },
      query: { status: 'odd' },
    })
    expect(odd.status).toBe(422)
  })

  it('hides unknown builds and those of other versions alike', async () => {
    const aid = (await queue()).body.id
    const other = await api.environments.version(tenant.companyManager, id)
    const elsewhere = (route: typeof environmentRoutes.readBuild | typeof environmentRoutes.cancelBuild) =>
      api.call(route, tenant.companyManager, { params: { id, vid: other.id, aid } })
    const foreign = await makeTenant(db)
    const answers = [
      await read(newId('buildAttempt')),
      await elsewhere(environmentRoutes.readBuild),
      await elsewhere(environmentRoutes.cancelBuild),
      await read(aid, foreign.companyManager),
      await cancel(aid, foreign.companyManager),
      await cancel(aid, tenant.member),
      await cancel(newId('buildAttempt')),
    ]
    for (const answer of answers) expect([answer.status, answer.body]).toEqual([404, answers[0]?.body])
    expect((await read(aid)).body.status).toBe('validation_queued')
  })
})

describe('cancelling a build', () => {
  it('ends a waiting one at once', async () => {
    const aid = (await queue()).body.id
    expect((await cancel(aid)).body).toMatchObject({
      status: 'cancelled',
      terminal_class: 'cancelled',
      error_code: 'tenant_cancel',
    })
    expect((await version()).state).toBe('retryable_failed')
    expect(
      await claimNextAttempt(db, { worker: 'tester', leaseMs: 1000, share: buildSlots({ slots: 64 }) }),
    ).toBeUndefined()
    expect(codeOf(await cancel(aid))).toBe('not_cancellable')
  })

  it('marks a running one, and may be repeated until its worker has stopped it', async () => {
    const aid = (await queue()).body.id
    const attempt = await claim()
    expect((await cancel(aid)).body).toMatchObject({ status: 'cancel_requested', terminal_class: '' })
    expect((await cancel(aid)).body.status).toBe('cancel_requested')
    await db
      .transaction()
      .execute((trx) => finishAttempt(trx, attempt, { state: 'cancelled', errorCode: 'tenant_cancel' }))
    expect((await read(aid)).body.status).toBe('cancelled')
    expect(codeOf(await cancel(aid))).toBe('not_cancellable')
  })
})

describe('retrying a build', () => {
  it('builds a failed version again as before', async () => {
    expect(codeOf(await retry())).toBe('retry_not_eligible')
    await queue({ build_profile: 'large' })
    expect(codeOf(await retry())).toBe('nonterminal_exists')
    await failBuild('dockerfile_exit')
    expect((await retry()).body).toMatchObject({ attempt_number: 2, build_profile: 'large' })
    expect((await version()).state).toBe('build_queued')
  })

  it('ends after seven days', async () => {
    await queue()
    await failBuild('dockerfile_exit')
    await ageVersion('7 days')
    expect(codeOf(await retry())).toBe('retry_window_expired')
    expect(codeOf(await queue())).toBe('build_not_eligible')
    await ageVersion('6 days 23 hours 59 minutes')
    expect((await retry()).status).toBe(200)
  })

  it('is not for a rejected version', async () => {
    await queue()
    await failBuild('context_invalid')
    expect(codeOf(await retry())).toBe('retry_not_eligible')
  })
})
