import { readdirSync } from 'node:fs'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { EnvironmentHarness } from '../testing/environment-harness.ts'
import { makeEnvironmentVersion } from '../testing/factories/environment-version.ts'
import { makeTenant, type Tenant } from '../testing/factories/tenant.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { sweepEnvironments } from './environment-sweep.ts'

const { db } = await createTestDatabase()
const harness = new EnvironmentHarness(db)
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

const stateOf = (table: 'upload_sessions' | 'environment_versions', id: string) =>
  db.selectFrom(table).select('state').where('id', '=', id).executeTakeFirstOrThrow()
const files = () =>
  readdirSync(harness.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())

async function received(expiresIn: string): Promise<string> {
  const { id } = await harness.environment(tenant.companyManager)
  const opened = await harness.init(tenant.companyManager, id)
  await harness.put(tenant.companyManager, id, opened, { bytes: Buffer.from('bytes') })
  await db
    .updateTable('upload_sessions')
    .set({ session_expires_at: sql`now() + ${expiresIn}::interval` })
    .where('id', '=', opened.upload_session_id)
    .execute()
  return opened.upload_session_id
}

it('ends uploads after their day, removes their bytes, and leaves the others alone', async () => {
  const expired = await received('-1 second')
  const live = await received('1 minute')
  expect(await sweepEnvironments(harness.context)).toMatchObject({ uploadsAborted: 1 })
  expect((await stateOf('upload_sessions', expired)).state).toBe('aborted')
  expect((await stateOf('upload_sessions', live)).state).toBe('uploading')
  expect(files()).toHaveLength(1)
  expect(await sweepEnvironments(harness.context)).toMatchObject({ uploadsAborted: 0 })
})

it('finishes an abort that its sender did not live to finish', async () => {
  const id = await received('1 hour')
  await db
    .updateTable('upload_sessions')
    .set({ state: 'abort_pending', receiving_until: sql`now() - interval '1 second'` })
    .where('id', '=', id)
    .execute()
  await sweepEnvironments(harness.context)
  expect((await stateOf('upload_sessions', id)).state).toBe('aborted')
})

it('counts an upload only once it has ended', async () => {
  const id = await received('-1 second')
  const sending = (until: string) =>
    db
      .updateTable('upload_sessions')
      .set({ receiving_until: sql`now() + ${until}::interval` })
      .where('id', '=', id)
      .execute()
  await sending('1 minute')
  expect(await sweepEnvironments(harness.context)).toMatchObject({ uploadsAborted: 0 })
  await sending('-1 second')
  expect(await sweepEnvironments(harness.context)).toMatchObject({ uploadsAborted: 1 })
})

it('abandons failed versions when nobody built them again for seven days', async () => {
  const fail = async (age: string) => {
    const { id } = await makeEnvironmentVersion(db, {
      companyId: tenant.companyId,
      state: 'retryable_failed',
    })
    await db
      .updateTable('environment_versions')
      .set({ state_changed_at: sql`now() - ${age}::interval` })
      .where('id', '=', id)
      .execute()
    return id
  }
  const [old, recent] = [await fail('7 days'), await fail('6 days 23 hours')]
  expect(await sweepEnvironments(harness.context)).toMatchObject({ versionsAbandoned: 1 })
  expect((await stateOf('environment_versions', old)).state).toBe('abandoned')
  expect((await stateOf('environment_versions', recent)).state).toBe('retryable_failed')
})
