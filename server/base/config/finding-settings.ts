import type { Settings } from './setting.ts'

export interface FindingConfig {
  /** Entries such as `critical=7`. Empty: findings have no deadlines. */
  remediationDays: readonly string[]
}

/** Days by severity. */
export type RemediationDays = Readonly<Record<string, number>>

const entryForm = /^(critical|high|medium|low|unknown)=[1-9]\d{0,3}$/

export const remediationDaysOf = (entries: readonly string[]): RemediationDays =>
  Object.fromEntries(
    entries.map((entry) => {
      const [severity = '', days] = entry.split('=')
      return [severity, Number(days)]
    }),
  )

export const findingSettings: Settings<FindingConfig> = {
  remediationDays: {
    env: 'SANDBOX_REMEDIATION_DAYS',
    description:
      'days until a finding of that severity has to be remedied, as `critical=7,high=30`: managers are reminded a week before, at the deadline, and each week after it',
    fallback: () => [],
    expected: 'severities with days, such as critical=7,high=30',
    parse: (raw) => {
      const entries = String(raw)
        .split(',')
        .map((entry) => entry.trim())
      return entries.every((entry) => entryForm.test(entry)) ? entries : undefined
    },
  },
}
