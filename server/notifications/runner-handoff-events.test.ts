import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Runner } from '../../agent/port/platform.ts'
import { TestApi } from '../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../../testing/factories/tenant.ts'
import { newId } from '../base/ids.ts'
import { endLocked } from '../builds/attempts/claims/attempt-end-store.ts'
import { RunnerReleases } from '../environments/operator/runner-releases.ts'
import { sweepEnvironments } from '../environments/retention/environment-sweep.ts'
import { supersedeOlder } from '../environments/versions/version-transitions.ts'
import { Notifier } from './notifier.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const notifier = new Notifier(db)
const releases = new RunnerReleases(db, 'declared')
const source = `sha256:${'5'.repeat(64)}`
let tenant: Tenant
let used: { id: string; environmentId: string }
let runners = 0

beforeEach(async () => {
  tenant = await makeTenant(db)
  used = await makeEnvironmentVersion(db, { companyId: tenant.companyId })
  await db
    .updateTable('environment_versions')
    .set({ source_digest: source, runner_release: await newerRunner() })
    .where('id', '=', used.id)
    .execute()
  await db
    .updateTable('environments')
    .set({ current_version_id: used.id, name: 'Reports' })
    .where('id', '=', used.environmentId)
    .execute()
})

function newerRunner(): Promise<string> {
  runners += 1
  const runner: Runner = {
    layerDigest: `sha256:${String(runners).padStart(16, '0').padEnd(64, '0')}`,
    abiRevision: 1,
    policyDigest: `sha256:${'0'.repeat(64)}`,
  }
  return releases.record(runner)
}

/** Another version of the environment, whose build is queued. */
async function rebuild(change: { source_digest?: string; resource_profile?: string } = {}) {
  const template = await db
    .selectFrom('environment_versions')
    .selectAll()
    .where('id', '=', used.id)
    .executeTakeFirstOrThrow()
  const [id, attemptId] = [newId('environmentVersion'), newId('buildAttempt')]
  const { rows } = await sql<{ next: number }>`
    select max(version_number) + 1 as next from environment_versions
    where environment_id = ${used.environmentId} and company_id = ${tenant.companyId}`.execute(db)
  await db
    .insertInto('environment_versions')
    .values({
      ...template,
      ...change,
      id,
      version_number: rows[0]?.next ?? 2,
      state: 'build_queued',
      handoff_since: null,
    })
    .execute()
  const attempt = { id: attemptId, company_id: tenant.companyId, environment_version_id: id }
  await db
    .insertInto('build_attempts')
    .values({
      ...attempt,
      attempt_number: 1,
      state: 'validation_queued',
      build_region: 'onprem',
      build_profile: 'standard',
    })
    .execute()
  const end = (how: Parameters<typeof endLocked>[2]) =>
    db.transaction().execute((trx) => endLocked(trx, attempt, how))
  return { id, end }
}

const failed = { state: 'customer_failed', errorCode: 'dockerfile_exit' } as const

async function afterDays(days: number): Promise<void> {
  await db
    .updateTable('environment_versions')
    .set({ handoff_since: sql`handoff_since - make_interval(days => ${days})` })
    .where('environment_id', '=', used.environmentId)
    .where('company_id', '=', tenant.companyId)
    .execute()
  await sweepEnvironments(api.context)
}

const notified = async (principal = tenant.companyManager) => {
  await notifier.notifyAll()
  const { items } = await api.must(allRoutes.listNotifications, principal)
  return items.filter(({ event }) => event.startsWith('runner_')).toReversed()
}
const events = async () => (await notified()).map(({ event }) => event)

describe('a hand-over to a newer runner', () => {
  it('that fails notifies the managers of the owner of the version that stays, once', async () => {
    await newerRunner()
    for (let each = 0; each < 2; each += 1) await (await rebuild()).end(failed)
    expect(await notified()).toMatchObject([
      { event: 'runner_replacement_available' },
      {
        event: 'runner_handoff_failed',
        title: 'Reports version 1: could not be built again on the newer runner, this version stays in use',
        subject_type: 'environment_version',
        subject_id: used.id,
        deep_link: `/console/environments/${used.environmentId}/versions/${used.id}`,
      },
    ])
    for (const other of [tenant.member, tenant.departmentManager]) expect(await notified(other)).toEqual([])
  })

  it('does not fail with a build of something else, with a cancelled one, or where no runner is newer', async () => {
    await (await rebuild()).end(failed)
    await newerRunner()
    await (await rebuild({ source_digest: `sha256:${'6'.repeat(64)}` })).end(failed)
    await (await rebuild({ resource_profile: 'large' })).end(failed)
    await (await rebuild()).end({ state: 'cancelled', errorCode: 'tenant_cancel' })
    expect(await events()).toEqual(['runner_replacement_available'])
  })

  it('expires once after 30 days, and fails no more', async () => {
    await newerRunner()
    await afterDays(29)
    expect(await events()).toEqual(['runner_replacement_available'])
    await afterDays(1)
    await afterDays(30)
    await (await rebuild()).end(failed)
    const expired = ['runner_replacement_available', 'runner_handoff_expired']
    expect(await events()).toEqual(expired)
    await newerRunner()
    await afterDays(30)
    expect(await events()).toEqual([...expired, ...expired])
  })

  it('does not expire once it is completed, or the environment has another current version', async () => {
    await newerRunner()
    const next = await rebuild()
    await db
      .updateTable('environment_versions')
      .set({ state: 'ready', runner_release: await newerRunner() })
      .where('id', '=', next.id)
      .execute()
    const version = { id: next.id, company_id: tenant.companyId }
    await db.transaction().execute((trx) => supersedeOlder(trx, version))
    await afterDays(30)
    expect((await events()).at(-1)).toBe('runner_handoff_completed')
    const before = await events()
    await newerRunner()
    await db
      .updateTable('environments')
      .set({ current_version_id: null })
      .where('id', '=', used.environmentId)
      .execute()
    await afterDays(30)
    expect(await events()).toEqual([...before, 'runner_replacement_available'])
  })
})
