import type { Company } from '@sandbox-jobs/contract/resources/company.ts'
import { notFound } from '../base/coded-error.ts'
import { findCompany } from './company-store.ts'
import { type Platform, requireAdministrator } from './platform.ts'
import type { Principal } from './principal.ts'

export async function readCompany(platform: Platform, principal: Principal): Promise<Company> {
  requireAdministrator(principal)
  const row = await findCompany(platform.db, principal.companyId)
  if (!row) throw notFound()
  return { ...row, created_at: row.created_at.toISOString() }
}
