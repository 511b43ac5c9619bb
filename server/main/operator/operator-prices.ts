import type { ShownPrices } from '@sandbox-jobs/contract/operator/shown-prices.ts'
import { sha256Of } from '../../base/sha256.ts'
import { YamlFileInvalid } from '../../base/yaml-file.ts'
import { moneyText } from '../../billing/money.ts'
import { type AppliedPrices, applyPrices } from '../../billing/prices/apply-prices.ts'
import { readShownPrices } from '../../billing/prices/shown-prices.ts'
import {
  actOnService,
  type LocalService,
  type Outcome,
  onLocalService,
  type ServiceRefusal,
} from './local-service.ts'

/** Changes of an apply. Rates are decimal strings; null: the price is not in that list. */
export interface PriceChanges {
  rate_version: string
  bound_version: string
  changes: { name: string; before: string | null; after: string | null }[]
}

/** The changes, or why they were not made. */
type PricesOutcome =
  | { ok: true; value: PriceChanges }
  | { ok: false; cause: 'file'; problems: string[] }
  | ServiceRefusal

/** Makes the prices of a file hold on the service of this machine, or only shows what would change. */
export async function applyPricesHere(text: string, options: { dryRun: boolean }): Promise<PricesOutcome> {
  const apply = async ({ db, config }: LocalService) =>
    shownChanges(await applyPrices({ db, deployment: config.deployment }, text, options))
  try {
    return await (options.dryRun
      ? onLocalService(apply)
      : actOnService({ act: 'prices_apply', details: { file: sha256Of(Buffer.from(text)) } }, apply))
  } catch (error) {
    if (error instanceof YamlFileInvalid) return { ok: false, cause: 'file', problems: error.problems }
    throw error
  }
}

const shownChanges = ({ rateVersion, boundVersion, changes }: AppliedPrices): PriceChanges => ({
  rate_version: rateVersion,
  bound_version: boundVersion,
  changes: changes.map(({ name, before, after }) => {
    // Rates are compared in millionths.
    const shown = (value: string) => (/per_(second|gib)$/.test(name) ? moneyText(Number(value)) : value)
    return {
      name,
      before: before === undefined ? null : shown(before),
      after: after === undefined ? null : shown(after),
    }
  }),
})

/** Undefined: none were ever applied. */
export const showPrices = (): Outcome<ShownPrices | undefined> =>
  onLocalService(({ db }) => readShownPrices(db))
