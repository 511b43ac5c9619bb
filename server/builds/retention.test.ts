import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createTestDatabase } from '../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../testing/factories/environment-version.ts'
import { makeTenant } from '../../testing/factories/tenant.ts'
import { newId } from '../base/ids.ts'
import { createLog } from '../base/logging.ts'
import { DiskStorage } from '../storage/disk.ts'
import { buildLogKey } from './logs/build-log-store.ts'
import { sweepBuildLogs } from './retention.ts'

const { db } = await createTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-logs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const storage = new DiskStorage(folder)
const { companyId } = await makeTenant(db)
const dayMs = 24 * 3600 * 1000

/** A terminal build with a log, of a version in the given state; a `bare` one has no image. */
async function ended(state: string, image: 'bare' | 'with an image'): Promise<string> {
  const { id } = await makeEnvironmentVersion(db, { companyId, state })
  if (image === 'bare') {
    await db.updateTable('environment_versions').set({ layer_digest: null }).where('id', '=', id).execute()
  }
  const attemptId = newId('buildAttempt')
  await db
    .insertInto('build_attempts')
    .values({
      id: attemptId,
      company_id: companyId,
      environment_version_id: id,
      attempt_number: 1,
      state: 'customer_failed',
      build_region: 'onprem',
      build_profile: 'standard',
      terminal_at: new Date(),
    })
    .execute()
  await storage.put(buildLogKey(attemptId), Buffer.from('log'))
  return attemptId
}

const sweepAfter = (days: number) =>
  sweepBuildLogs({
    db,
    storage,
    log: createLog('test', 'silent'),
    clock: { now: () => new Date(Date.now() + days * dayMs) },
  })

const isThere = async (attemptId: string) => (await storage.size(buildLogKey(attemptId))) !== undefined

it('removes the logs of versions that are over after the retention period of images', async () => {
  const over = await Promise.all(['archived', 'rejected', 'abandoned'].map((state) => ended(state, 'bare')))
  const kept = [await ended('ready', 'with an image'), await ended('archived', 'with an image')]
  kept.push(await ended('retryable_failed', 'bare'))
  expect(await sweepAfter(29.9)).toEqual({ removed: 0, failed: 0 })
  expect(await sweepAfter(30.1)).toEqual({ removed: 3, failed: 0 })
  expect(await Promise.all(over.map(isThere))).toEqual([false, false, false])
  expect(await Promise.all(kept.map(isThere))).toEqual([true, true, true])
  expect(await sweepAfter(30.1)).toEqual({ removed: 0, failed: 0 })
})
