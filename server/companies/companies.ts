import type { OwnCredential } from '@sandbox-jobs/contract/resources/access/own-credential.ts'
import type { Company } from '@sandbox-jobs/contract/resources/companies/company.ts'
import { authorize, ownCompany } from '../access/allow.ts'
import type { Platform } from '../access/directory/platform.ts'
import { findOwnApiKey } from '../access/keys/api-keys.ts'
import type { Principal } from '../access/principal.ts'
import { notFound } from '../base/errors/coded-error.ts'
import type { Executing } from '../db/database.ts'
import { findCompaniesNamed, findCompany } from './company-store.ts'

export async function readCompany(platform: Platform, principal: Principal): Promise<Company> {
  authorize(principal, 'directory.manage', ownCompany)
  const row = await findCompany(platform.db, principal.companyId)
  if (!row) throw notFound()
  return { ...row, created_at: row.created_at.toISOString() }
}

/** For the operator. `company` is an id or a name. */
export async function findCompanyId(db: Executing, company: string): Promise<string | undefined> {
  const [named] = await findCompaniesNamed(db, [company])
  return ((await findCompany(db, company)) ?? named)?.id
}

/** The company of the caller, and the API key that the request was sent with. */
export async function readOwnCredential(platform: Platform, principal: Principal): Promise<OwnCredential> {
  const company = await findCompany(platform.db, principal.companyId)
  if (!company) throw notFound()
  return {
    company_id: company.id,
    company_name: company.name,
    api_key: await findOwnApiKey(platform, principal),
  }
}
