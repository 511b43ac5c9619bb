import type { GatewayKey } from '@sandbox-jobs/contract/operator/gateway-key.ts'
import { revokeGatewayKey } from '../../access/keys/gateway-keys.ts'
import type { Clock } from '../../base/clock.ts'
import { findCompanyId } from '../../companies/companies.ts'
import type { Database } from '../../db/database.ts'
import type { Act } from './act.ts'

interface Services {
  db: Database
  clock: Clock
}

/** Ends a gateway key of a company, by its id or name, at once. Undefined: the company has no such live key. */
export const revokeKey = (company: string, id: string): Act<Services, GatewayKey | undefined> => ({
  entry: { act: 'gateway_key_revoke', subject: id, details: { company } },
  work: async (services) => {
    const companyId = await findCompanyId(services.db, company)
    return companyId === undefined ? undefined : revokeGatewayKey(services, companyId, id)
  },
})
