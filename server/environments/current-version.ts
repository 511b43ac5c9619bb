import type { Trx } from '../db/database.ts'
import { lockCurrentVersion } from './environment-store.ts'

/** The version that an environment's new tasks use, and no other until the transaction ends; null: none is ready. */
export const holdCurrentVersion = (trx: Trx, environmentId: string): Promise<string | null> =>
  lockCurrentVersion(trx, environmentId)
