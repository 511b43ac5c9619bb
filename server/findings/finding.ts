import { createHash } from 'node:crypto'
import type {
  FindingKind,
  ScanFinding,
  SecurityException,
} from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { type Severity, severities } from '@sandbox-jobs/contract/severities.ts'
import type { ExceptionState, FindingState } from '@sandbox-jobs/contract/states/finding-states.ts'
import type { Selectable } from 'kysely'
import type { SecurityExceptionsTable, SecurityFindingsTable } from '../db/tables/findings.ts'

export type FindingRow = Selectable<SecurityFindingsTable>

/** Identity of a finding in an environment. Severity and package version are not part of it. */
export const fingerprintOf = ({ kind, rule, subject }: ScanFinding): string =>
  `sha256:${createHash('sha256').update([kind, rule, subject].join('\0')).digest('hex')}`

/** Most severe first, then a fixed order, so that the same findings always give the same list. */
export const bySeverity = (a: ScanFinding, b: ScanFinding): number =>
  severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
  compareText(a.kind, b.kind) ||
  compareText(a.rule, b.rule) ||
  compareText(a.subject, b.subject)

export const renderFinding = (row: FindingRow, exception: ExceptionRow | undefined) => ({
  id: row.id,
  environment_id: row.environment_id,
  kind: row.kind as FindingKind,
  rule: row.rule,
  subject: row.subject,
  severity: row.severity as Severity,
  title: row.title,
  installed_version: row.installed_version,
  fixed_version: row.fixed_version,
  state: row.state as FindingState,
  first_version_id: row.first_version_id,
  last_version_id: row.last_version_id,
  first_seen_at: row.first_seen_at.toISOString(),
  last_seen_at: row.last_seen_at.toISOString(),
  state_changed_at: row.state_changed_at.toISOString(),
  exception: exception ? renderException(exception) : null,
})

export type ExceptionRow = Selectable<SecurityExceptionsTable>

export const renderException = (row: ExceptionRow): SecurityException => ({
  id: row.id,
  environment_id: row.environment_id,
  finding_id: row.finding_id,
  state: row.state as ExceptionState,
  reason: row.reason,
  created_by: row.created_by,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at?.toISOString() ?? null,
  ended_at: row.ended_at?.toISOString() ?? null,
})

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
