import type { Settings } from './setting.ts'

/** Days by severity. */
export type RemediationDays = Readonly<Record<string, number>>

export interface FindingConfig {
  /** Empty: findings have no deadlines. */
  remediationDays: RemediationDays
}

const entryForm = /^(?<severity>critical|high|medium|low|unknown)=(?<days>[1-9]\d{0,3})$/

export const findingSettings: Settings<FindingConfig> = {
  remediationDays: {
    env: 'SANDBOX_REMEDIATION_DAYS',
    description:
      'days until a finding of that severity has to be remedied, as `critical=7,high=30`: managers are reminded a week before, at the deadline, and each week after it',
    fallback: () => ({}),
    expected: 'severities with days, such as critical=7,high=30',
    parse: (raw) => {
      const entries = String(raw)
        .split(',')
        .map((entry) => entryForm.exec(entry.trim())?.groups)
      const days = entries.flatMap((groups) =>
        groups ? [[groups.severity, Number(groups.days)] as const] : [],
      )
      return days.length === entries.length ? Object.fromEntries(days) : undefined
    },
  },
}
