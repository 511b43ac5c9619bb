import type { CompanyList } from '@sandbox-jobs/contract/operator/operator-company.ts'
import type { OwnCredential } from '@sandbox-jobs/contract/resources/access/own-credential.ts'
import type { Company } from '@sandbox-jobs/contract/resources/companies/company.ts'
import { authorize, ownCompany } from '../access/allow.ts'
import type { Platform } from '../access/directory/platform.ts'
import { findOwnApiKey } from '../access/keys/api-keys.ts'
import type { Principal } from '../access/principal.ts'
import { notFound } from '../base/errors/coded-error.ts'
import type { Executing } from '../db/database.ts'
import { findCompany, findCompanyOf, searchCompanies } from './company-store.ts'

export { findCompanyOf } from './company-store.ts'

export async function readCompany(platform: Platform, principal: Principal): Promise<Company> {
  authorize(principal, 'directory.manage', ownCompany)
  const row = await findCompany(platform.db, principal.companyId)
  if (!row) throw notFound()
  return { ...row, created_at: row.created_at.toISOString() }
}

const listedMax = 100

/** For the operator: the first companies whose names contain a text. */
export async function listCompaniesNamed(db: Executing, text: string): Promise<CompanyList> {
  const found = await searchCompanies(db, text, listedMax + 1)
  return { items: found.slice(0, listedMax), is_cut: found.length > listedMax }
}

/** For the operator. `company` is an id or a name. */
export async function findCompanyId(db: Executing, company: string): Promise<string | undefined> {
  return (await findCompanyOf(db, company))?.id
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
