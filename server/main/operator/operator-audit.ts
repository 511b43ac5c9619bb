import type { ChainPosition } from '@sandbox-jobs/contract/audit/chain-check.ts'
import { PublishedSigningKeys } from '../../base/keys/published-signing-keys.ts'
import { signingKeysFolder } from '../../base/keys/signing-keys.ts'
import { findCompanyId } from '../../companies/companies.ts'
import { listChainCompanies } from '../../operations/audit/audit-chain-store.ts'
import { type AuditLog, readAuditLog } from '../../operations/audit/audit-log.ts'
import { type VerifiedChain, verifyChain } from '../../operations/audit/verify-audit.ts'
import { type Outcome, onLocalService } from './local-service.ts'

export type { VerifiedChain } from '../../operations/audit/verify-audit.ts'

/**
 * Verifies the audit log of a company, by id or name, with a position of it that somebody remembers; without a company the
 * logs of all, and the one of the deployment. Undefined: no such company.
 */
export const verifyAuditLogs = (
  company?: string,
  remembered: readonly ChainPosition[] = [],
): Outcome<VerifiedChain[] | undefined> =>
  onLocalService(async ({ db, clock, config }) => {
    const trusted = new PublishedSigningKeys(signingKeysFolder(config.dataDir)).trusted()
    const options = { trusted, clock, remembered }
    if (company !== undefined) {
      const id = await findCompanyId(db, company)
      return id === undefined ? undefined : [await verifyChain(db, id, options)]
    }
    const verified: VerifiedChain[] = []
    for (const id of await listChainCompanies(db)) verified.push(await verifyChain(db, id, options))
    return verified
  })

/** The newest acts of operators. */
export const readOperatorLog = (limit: number): Outcome<AuditLog> =>
  onLocalService(({ db }) => readAuditLog(db, limit))
