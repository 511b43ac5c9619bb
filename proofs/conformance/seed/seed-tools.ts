import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { Principal } from '../../../server/access/principal.ts'
import type { SigningKeys } from '../../../server/base/keys/signing-keys.ts'
import type { Database } from '../../../server/db/database.ts'
import type { ObjectStorage } from '../../../server/storage/port.ts'

/** Tools that create a seed: a database, a storage, and a request that has to succeed. */
export interface SeedTools {
  db: Database
  storage: ObjectStorage
  signing: SigningKeys
  passwordHash: string
  sendOk: (
    as: Principal,
    route: Route,
    call: {
      params?: Record<string, string>
      body?: unknown
      query?: Record<string, string>
      bytes?: Buffer
      headers?: Record<string, string>
    },
  ) => Promise<Record<string, unknown>>
}

/** Where the objects of a seed belong. */
export interface SeedScope {
  companyId: string
  department: string
  room: string
  manager: Principal
}
