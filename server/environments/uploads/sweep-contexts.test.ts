import { contextUploadRoutes } from '@sandbox-jobs/contract/routes/context-upload-routes.ts'
import { environmentRoutes } from '@sandbox-jobs/contract/routes/environment-routes.ts'
import { expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { sweepContexts } from './sweep-contexts.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const { companyManager } = await makeTenant(db)
const begin = Date.now()

const sweepAfter = (days: number) =>
  sweepContexts({
    ...api.context,
    clock: { now: () => new Date(begin + days * 24 * 3600 * 1000) },
  })

async function archiveOf(id: string) {
  const { items } = await api.must(contextUploadRoutes.listContextObjects, companyManager, {
    params: { id },
    query: { lifecycle: 'all' },
  })
  const { storage_key } = await db
    .selectFrom('owned_objects')
    .select('storage_key')
    .where('environment_id', '=', id)
    .executeTakeFirstOrThrow()
  return { ...items[0], isStored: (await api.context.storage.size(storage_key)) !== undefined }
}

it('removes the archives of archived environments after the retention time, and no others', async () => {
  const [kept, gone] = [
    await api.environments.create(companyManager),
    await api.environments.create(companyManager),
  ]
  for (const { id } of [kept, gone])
    await api.environments.upload(companyManager, id, Buffer.from('an archive'))
  await api.must(environmentRoutes.archiveEnvironment, companyManager, { params: { id: gone.id } })
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
