import { integer, type Settings } from './setting.ts'

/** How much of the audit log is kept. */
export interface AuditConfig {
  auditRetentionDays: number
  /** Of one company. */
  auditEntries: number
}

export const auditSettings: Settings<AuditConfig> = {
  auditRetentionDays: {
    env: 'SANDBOX_AUDIT_RETENTION_DAYS',
    description: 'days after which entries of the audit log are removed',
    fallback: () => 400,
    ...integer(1, 36_500),
  },
  auditEntries: {
    env: 'SANDBOX_AUDIT_ENTRIES',
    description: 'entries of the audit log that are kept for one company; an entry takes about 500 bytes',
    fallback: () => 5_000_000,
    ...integer(1000, 2 ** 40),
  },
}
