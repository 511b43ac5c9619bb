import type { GatewayKey } from '@sandbox-jobs/contract/operator/gateway-key.ts'
import { issueGatewayKey, listGatewayKeys } from '../../../access/keys/gateway-keys.ts'
import { CodedError } from '../../../base/errors/coded-error.ts'
import { findCompanyId } from '../../../companies/companies.ts'
import { revokeKey } from '../../../operations/acts/key-acts.ts'
import { actOnService, doHere, type Outcome, onLocalService } from '../local-service.ts'

/** Issues a key for a company, by its name or id. Undefined: no such company; `name_taken`: a live key has the name. */
export const issueKey = (
  company: string,
  name: string,
): Outcome<(GatewayKey & { gateway_key: string }) | 'name_taken' | undefined> =>
  actOnService({ act: 'gateway_key_issue', subject: company, details: { name } }, async (service) => {
    const companyId = await findCompanyId(service.db, company)
    if (companyId === undefined) return undefined
    try {
      return await issueGatewayKey(service, companyId, name)
    } catch (error) {
      if (error instanceof CodedError && error.code === 'already_exists') return 'name_taken'
      throw error
    }
  })

/** The keys of a company, revoked ones included; undefined: no such company. */
export const listKeys = (company: string): Outcome<GatewayKey[] | undefined> =>
  onLocalService(async ({ db }) => {
    const companyId = await findCompanyId(db, company)
    return companyId === undefined ? undefined : listGatewayKeys(db, companyId)
  })

/** Ends a key at once; undefined: the company has no such live key. */
export const revokeKeyHere = (company: string, id: string): Outcome<GatewayKey | undefined> =>
  doHere(revokeKey(company, id))
