import type { Company } from '@sandbox-jobs/contract/resources/company.ts'
import { notFound } from '../base/coded-error.ts'
import type { Executing } from '../db/database.ts'
import { findCompaniesNamed, findCompany } from './company-store.ts'
import { type Platform, requireAdministrator } from './platform.ts'
import type { Principal } from './principal.ts'

export async function readCompany(platform: Platform, principal: Principal): Promise<Company> {
  requireAdministrator(principal)
  const row = await findCompany(platform.db, principal.companyId)
  if (!row) throw notFound()
  return { ...row, created_at: row.created_at.toISOString() }
}

/** For the operator, who names a company by its id or its name. */
export async function findCompanyId(db: Executing, company: string): Promise<string | undefined> {
  const [named] = await findCompaniesNamed(db, [company])
  return ((await findCompany(db, company)) ?? named)?.id
}
