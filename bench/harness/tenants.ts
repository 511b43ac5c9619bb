import type { Database } from '../../server/db/database.ts'
import { hashApiKey, newApiKey } from '../../server/platform/api-key-secret.ts'
import { insertApiKey } from '../../server/platform/api-key-store.ts'
import { anyOrigin } from '../../server/platform/origins.ts'
import { makeTenant, makeUser } from '../../server/testing/factories/platform.ts'
import { makeRunnableTask, type RunnableTask } from '../../server/testing/factories/runs.ts'

/** A company with one room, one member of it with a key, and one task it may run there. */
export interface BenchTenant {
  companyId: string
  roomId: string
  userId: string
  apiKey: string
  task: RunnableTask
}

/** Makes companies as rows: what is measured begins once they are there. `pepper` is that of the service's API keys. */
export async function makeTenants(
  db: Database,
  { count, pepper }: { count: number; pepper: Buffer },
): Promise<BenchTenant[]> {
  const tenants: BenchTenant[] = []
  for (let made = 0; made < count; made += 1) {
    const { companyId, roomId } = await makeTenant(db)
    const { principalId: userId } = await makeUser(db, companyId, { memberOf: [roomId] })
    const apiKey = newApiKey()
    await insertApiKey(db, {
      companyId,
      ownerUserId: userId,
      name: 'bench',
      keyHash: hashApiKey(pepper, apiKey),
      scope: 'full',
      domains: [anyOrigin],
      allowedChatroomIds: [],
      expiresAt: null,
    })
    tenants.push({ companyId, roomId, userId, apiKey, task: await makeRunnableTask(db, companyId) })
  }
  return tenants
}
