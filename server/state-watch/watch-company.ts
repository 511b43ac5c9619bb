import type { Executing } from '../db/database.ts'
import { watchState } from './state-watch-store.ts'

/** Seconds for which a company is watched after each `watchCompany`. */
const watchSeconds = 120
/** A follower watches again after this time, so that no change falls between. */
export const watchCompanyAgainMs = 60_000

/** Has the changes in a company notified for a while. */
export const watchCompany = (db: Executing, companyId: string): Promise<void> =>
  watchState(db, { id: companyId, company_id: companyId }, watchSeconds)
