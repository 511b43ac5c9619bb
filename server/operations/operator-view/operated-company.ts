import type { OperatedCompany } from '@sandbox-jobs/contract/operator/operator-company.ts'
import { readBudget } from '../../billing/budgets/company-budget.ts'
import { findCompanyOf } from '../../companies/companies.ts'
import {
  type OperatorContext,
  queuedRunLimitMax,
  readOperatorPolicy,
} from '../../companies/settings/operator-policy.ts'
import { readKeptBytes } from '../../companies/storage/storage-quota.ts'
import { readCompanyWork } from '../top/operated-work.ts'

/** A company by id or name. Undefined: no such company. */
export async function readOperatedCompany(
  context: OperatorContext,
  idOrName: string,
): Promise<OperatedCompany | undefined> {
  const { db } = context
  const company = await findCompanyOf(db, idOrName)
  if (!company) return undefined
  const { company_id: _, ...limits } = await readOperatorPolicy(context, company.id)
  return {
    ...company,
    work: await readCompanyWork(db, company.id),
    storage: await readKeptBytes(db, company.id),
    limits,
    queued_run_limit_max: queuedRunLimitMax(context.deployment),
    budget: await readBudget(db, company.id),
  }
}
