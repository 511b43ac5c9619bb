import type { ContextObject } from '@sandbox-jobs/contract/resources/context-upload.ts'
import { contextUploadRoutes } from '@sandbox-jobs/contract/routes/context-upload-routes.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { expect, it } from 'vitest'
import { EnvironmentHarness } from '../testing/environment-harness.ts'
import { makeTenant } from '../testing/factories/tenant.ts'
import { createTestDatabase } from '../testing/test-database.ts'
import { sweepContexts } from './sweep-contexts.ts'

const { db } = await createTestDatabase()
const harness = new EnvironmentHarness(db)
const { companyManager } = await makeTenant(db)
const begin = Date.now()

const sweepAfter = (days: number) =>
  sweepContexts({
    ...harness.context,
    clock: { now: () => new Date(begin + days * 24 * 3600 * 1000) },
  })

async function archiveOf(id: string) {
  const { items } = await harness.must<{ items: ContextObject[] }>(
    contextUploadRoutes.listContextObjects,
    companyManager,
    { params: { id }, query: { lifecycle: 'all' } },
  )
  const { storage_key } = await db
    .selectFrom('owned_objects')
    .select('storage_key')
    .where('environment_id', '=', id)
    .executeTakeFirstOrThrow()
  return { ...items[0], isStored: (await harness.context.storage.size(storage_key)) !== undefined }
}

it('removes the archives of archived environments after some days, and no others', async () => {
  const [kept, gone] = [await harness.environment(companyManager), await harness.environment(companyManager)]
  for (const { id } of [kept, gone]) await harness.upload(companyManager, id, Buffer.from('an archive'))
  await harness.must(environmentRoutes.archiveEnvironment, companyManager, { params: { id: gone.id } })
  expect(await sweepAfter(0)).toEqual({ removed: 0, failed: 0 })
  expect(await archiveOf(gone.id)).toMatchObject({
    deletion_state: 'active',
    expires_at: new Date(begin + 30 * 24 * 3600 * 1000).toISOString(),
  })
  expect(await sweepAfter(29.9)).toEqual({ removed: 0, failed: 0 })
  expect(await sweepAfter(30.1)).toEqual({ removed: 1, failed: 0 })
  expect(await archiveOf(gone.id)).toMatchObject({ deletion_state: 'tombstoned', isStored: false })
  expect(await sweepAfter(365)).toEqual({ removed: 0, failed: 0 })
  expect(await archiveOf(kept.id)).toMatchObject({
    deletion_state: 'active',
    expires_at: null,
    isStored: true,
  })
})
