import { describe, expect, it } from 'vitest'
import type { Runner } from '../../../agent/port/platform.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../testing/factories/environment-version.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { newId } from '../../base/ids.ts'
import { getVersion } from '../versions/ready-versions.ts'
import { supersedeOlder } from '../versions/version-transitions.ts'
import { RunnerReleases, releaseOf } from './runner-releases.ts'

const { db } = await createTestDatabase()

const runner = (digit: string): Runner => ({
  layerDigest: `sha256:${digit.repeat(64)}`,
  abiRevision: 1,
  policyDigest: `sha256:${'0'.repeat(64)}`,
})

describe('a runner release', () => {
  it('is approved at installation with approval `declared`', async () => {
    const release = await new RunnerReleases(db, 'declared').record(runner('a'))
    expect(release).toBe(releaseOf(runner('a')))
    const [row] = await new RunnerReleases(db, 'declared').list()
    expect(row).toMatchObject({ release, approved_by: 'declared', approved_at: expect.any(Date) })
  })

  it('needs approval by the operator with `reviewed`, and stays approved', async () => {
    const releases = new RunnerReleases(db, 'reviewed')
    const release = await releases.record(runner('b'))
    const { companyId } = await makeTenant(db)
    const { id } = await makeEnvironmentVersion(db, { companyId })
    await db
      .updateTable('environment_versions')
      .set({ runner_release: release })
      .where('id', '=', id)
      .execute()
    expect((await getVersion(db, companyId, id))?.runner_approved).toBe(false)
    expect(await releases.approve(release)).toBe(true)
    expect((await getVersion(db, companyId, id))?.runner_approved).toBe(true)
    const approved = async () => (await releases.list()).find((row) => row.release === release)
    const before = await approved()
    expect(before).toMatchObject({ approved_by: 'operator' })
    await releases.record(runner('b'))
    expect(await releases.approve(release)).toBe(true)
    expect(await approved()).toEqual(before)
    expect(await releases.approve('runner-0000000000000000')).toBe(false)
  })
})

describe('the change to another runner', () => {
  const source = `sha256:${'5'.repeat(64)}`

  async function versions() {
    const releases = new RunnerReleases(db, 'declared')
    const [old, fresh] = [await releases.record(runner('c')), await releases.record(runner('d'))]
    const { companyId } = await makeTenant(db)
    const { id, environmentId } = await makeEnvironmentVersion(db, { companyId })
    const set = { source_digest: source, runner_release: old }
    await db.updateTable('environment_versions').set(set).where('id', '=', id).execute()
    const template = await db
      .selectFrom('environment_versions')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const add = async (version_number: number, change: Partial<typeof template>) => {
      const next = newId('environmentVersion')
      await db
        .insertInto('environment_versions')
        .values({ ...template, id: next, version_number, ...change })
        .execute()
      return next
    }
    const stateOf = async (of: string) =>
      (
        await db
          .selectFrom('environment_versions')
          .select('state')
          .where('id', '=', of)
          .executeTakeFirstOrThrow()
      ).state
    return { id, companyId: template.company_id, environmentId, fresh, add, stateOf }
  }

  it('supersedes the older composition of the same archive, and nothing else', async () => {
    const { id, companyId, environmentId, fresh, add, stateOf } = await versions()
    const otherArchive = await add(2, { source_digest: `sha256:${'6'.repeat(64)}` })
    const otherProfile = await add(3, { resource_profile: 'large' })
    const archived = await add(4, { state: 'archived' })
    const next = await add(5, { runner_release: fresh })
    const later = await add(6, {})
    await db.transaction().execute((trx) => supersedeOlder(trx, { id: next, company_id: companyId }))
    expect(await stateOf(id)).toBe('superseded')
    for (const untouched of [otherArchive, otherProfile, next, later]) {
      expect(await stateOf(untouched)).toBe('ready')
    }
    expect(await stateOf(archived)).toBe('archived')
    const environment = await db
      .selectFrom('environments')
      .select('current_version_id')
      .where('id', '=', environmentId)
      .executeTakeFirst()
    expect(environment?.current_version_id).toBe(later)
  })

  it('records once for each environment that a newer runner is available', async () => {
    const { companyId, id } = await versions()
    await db
      .updateTable('environments')
      .set({ current_version_id: id })
      .where('company_id', '=', companyId)
      .execute()
    const recorded = () =>
      db
        .selectFrom('event_outbox')
        .select(['event', 'subject_id'])
        .where('company_id', '=', String(companyId))
        .execute()
    const newest = runner('e')
    const release = await new RunnerReleases(db, 'reviewed').record(newest)
    expect(await recorded()).toEqual([])
    for (let each = 0; each < 2; each += 1) await new RunnerReleases(db, 'reviewed').approve(release)
    await new RunnerReleases(db, 'declared').record(newest)
    expect(await recorded()).toEqual([{ event: 'runner_replacement_available', subject_id: id }])
  })

  it('does not change versions on the same runner', async () => {
    const { id, companyId, add, stateOf } = await versions()
    const next = await add(2, {})
    await db.transaction().execute((trx) => supersedeOlder(trx, { id: next, company_id: companyId }))
    expect(await stateOf(id)).toBe('ready')
  })
})
