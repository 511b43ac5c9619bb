import { parseByteSize } from '@sandbox-jobs/contract/byte-size.ts'
import {
  type LimitChanges,
  type LimitName,
  limitMax,
  limitNames,
} from '@sandbox-jobs/contract/operator/company-limits.ts'
import type { OperatedCompany } from '@sandbox-jobs/contract/operator/operator-company.ts'

/** Limits as the operator has typed or chosen them so far; a limit that is not in it stays. */
export type LimitsDraft = Partial<Record<LimitName, string>> & { runtime_egress_enabled?: boolean }

/** Limits in bytes, which people write with a unit. */
const sizes: readonly LimitName[] = ['kept_bytes_limit']
const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** A limit as it is typed; empty: none. */
export function limitText(name: LimitName, value: number | null): string {
  if (value === null) return ''
  if (!sizes.includes(name)) return String(value)
  let unit = 0
  let count = value
  for (; count % 1024 === 0 && unit < units.length - 1; unit++) count /= 1024
  return unit === 0 ? String(value) : `${count} ${units[unit]}`
}

type Limited = Pick<OperatedCompany, 'limits' | 'queued_run_limit_max'>

/** The highest value of a limit that has an effect. */
export const maxOf = ({ queued_run_limit_max }: Limited, name: LimitName): number =>
  name === 'queued_run_limit' ? queued_run_limit_max : limitMax[name]

/** Undefined: the text is no value that the limit may have. */
function limitOf(company: Limited, name: LimitName, text: string): number | undefined {
  const value = sizes.includes(name)
    ? parseByteSize(text)
    : /^\d{1,16}$/.test(text.trim())
      ? Number(text)
      : undefined
  return value !== undefined && value >= 1 && value <= maxOf(company, name) ? value : undefined
}

/** The field has a text that cannot be sent. A limit that is not set may stay so. */
export const isInvalid = (company: Limited, name: LimitName, text: string): boolean =>
  !(text.trim() === '' && company.limits[name] === null) && limitOf(company, name, text) === undefined

/** The limits that a draft changes. */
export function changesOf(draft: LimitsDraft, company: Limited): LimitChanges {
  const { limits } = company
  const changes: LimitChanges = {}
  for (const name of limitNames) {
    const value = limitOf(company, name, draft[name] ?? '')
    if (value !== undefined && value !== limits[name]) changes[name] = value
  }
  const egress = draft.runtime_egress_enabled
  if (egress !== undefined && egress !== limits.runtime_egress_enabled)
    changes.runtime_egress_enabled = egress
  return changes
}
