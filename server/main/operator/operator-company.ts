import { join } from 'node:path'
import type { CompanyBudget } from '@sandbox-jobs/contract/operator/company-budget.ts'
import type { LimitChanges } from '@sandbox-jobs/contract/operator/company-limits.ts'
import { readBudget } from '../../billing/budgets/company-budget.ts'
import { findCompanyId } from '../../companies/companies.ts'
import { type OperatorPolicy, readOperatorPolicy } from '../../companies/settings/operator-policy.ts'
import {
  type CompanyStorageUsage,
  type Drift,
  listLargestCompanies,
  recountKeptBytes,
} from '../../companies/storage/kept-bytes-store.ts'
import { resetPassword } from '../../companies/users.ts'
import { setBudget, setLimits, type WantedBudget } from '../../operations/acts/company-acts.ts'
import { type DiskSize, diskOf } from '../../storage/free-space.ts'
import { storageName } from '../../storage/open-storage.ts'
import { actOnService, doHere, type Outcome, onLocalService } from './local-service.ts'

export type { CompanyBudget } from '@sandbox-jobs/contract/operator/company-budget.ts'
/** Millionths of an amount as a person writes it; undefined if it is none. */
export { microOf as readAmount } from '../../billing/money.ts'

/** The limits that the operator set for a company; undefined: no such company. */
export const showCompany = (company: string): Outcome<OperatorPolicy | undefined> =>
  onLocalService(async ({ db, config }) => {
    const id = await findCompanyId(db, company)
    return id === undefined ? undefined : readOperatorPolicy({ db, deployment: config.deployment }, id)
  })

/** Changes the named limits. */
export const setCompany = (company: string, changes: LimitChanges): Outcome<OperatorPolicy | undefined> =>
  doHere(setLimits(company, changes))

/** Sets a new random password and returns it; undefined: unknown login. */
export const setPassword = (login: string): Outcome<string | undefined> =>
  actOnService({ act: 'password_set', subject: login }, ({ db }) => resetPassword(db, login))

export interface StorageOverview {
  /** Where the objects are. */
  objects: string
  disk: DiskSize
  companies: CompanyStorageUsage[]
}

/** The disk of the data folder, and the companies that use the most. */
export const showStorage = (limit: number): Outcome<StorageOverview> =>
  onLocalService(async ({ db, config }) => ({
    objects: storageName(config),
    disk: await diskOf(join(config.dataDir, 'objects')),
    companies: await listLargestCompanies(db, limit),
  }))

/** Compares the counted bytes with the stored rows and corrects the count. */
export const recountStorage = (): Outcome<Drift[]> =>
  actOnService({ act: 'storage_recount', subject: 'all companies', details: {} }, ({ db }) =>
    recountKeptBytes(db),
  )

/** The budgets of a company, by id or name, and the use of this month; undefined: no such company. */
export const showBudget = (company: string): Outcome<CompanyBudget | undefined> =>
  onLocalService(async ({ db }) => {
    const id = await findCompanyId(db, company)
    return id === undefined ? undefined : readBudget(db, id)
  })

/** Sets the budget of a month, with or without all later ones, or removes all budgets. */
export const setCompanyBudget = (company: string, wanted: WantedBudget): Outcome<CompanyBudget | undefined> =>
  doHere(setBudget(company, wanted))
