import type { Deployment } from '@sandbox-jobs/contract/resources/environments/region.ts'
import { YamlFileInvalid } from '../../base/yaml-file.ts'
import type { Database, Executing } from '../../db/database.ts'
import { readPriceFile } from './price-file.ts'
import { boundsOf, type Difference, differences, type PriceList, ratesOf } from './price-list.ts'
import { findCurrentPrices, findPricesNamed, insertPriceList, lockPrices } from './price-list-store.ts'

export interface AppliedPrices {
  rateVersion: string
  boundVersion: string
  /** Empty: the file is what holds already. Amounts are in millionths. */
  changes: Difference[]
}

/**
 * Makes the prices of a file hold for what is queued from now on, or only compares them. Work that was queued before keeps its
 * rates. Throws `YamlFileInvalid` and changes nothing if the file is wrong, or gives other rates or bounds a name that is
 * used: a name on an invoice has one meaning.
 */
export async function applyPrices(
  { db, deployment }: { db: Database; deployment: Deployment },
  text: string,
  { dryRun }: { dryRun: boolean },
): Promise<AppliedPrices> {
  const list = readPriceFile(text, deployment)
  return db.transaction().execute(async (trx) => {
    await lockPrices(trx)
    await requireUnusedNames(trx, list)
    const before = await findCurrentPrices(trx)
    const changes = before ? changesOf(before, list) : differences(new Map(), linesOf(list))
    if (changes.length > 0 && !dryRun) await insertPriceList(trx, list)
    return { rateVersion: list.rateVersion, boundVersion: list.boundVersion, changes }
  })
}

const linesOf = (list: PriceList): Map<string, string> =>
  new Map([
    ['rate_version', list.rateVersion],
    ['bound_version', list.boundVersion],
    ...boundsOf(list),
    ...ratesOf(list),
  ])

const changesOf = (before: PriceList, after: PriceList): Difference[] =>
  differences(linesOf(before), linesOf(after))

async function requireUnusedNames(db: Executing, list: PriceList): Promise<void> {
  const rates = await findPricesNamed(db, { rate_version: list.rateVersion })
  const bounds = await findPricesNamed(db, { bound_version: list.boundVersion })
  const problems: string[] = []
  if (rates && differences(ratesOf(rates), ratesOf(list)).length > 0)
    problems.push(`rate_version: ${list.rateVersion} names other rates; give these a name of their own`)
  if (bounds && differences(boundsOf(bounds), boundsOf(list)).length > 0)
    problems.push(`bound_version: ${list.boundVersion} names other bounds; give these a name of their own`)
  if (problems.length > 0) throw new YamlFileInvalid(problems)
}
