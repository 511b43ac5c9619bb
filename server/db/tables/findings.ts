import type { Generated, GeneratedAlways } from 'kysely'

export interface SecurityFindingsTable {
  id: string
  company_id: string
  environment_id: string
  fingerprint: string
  state: Generated<string>
  kind: string
  rule: string
  subject: string
  severity: string
  severity_rank: GeneratedAlways<number>
  title: string
  installed_version: string
  fixed_version: string
  block_reason: string | null
  first_version_id: string
  last_version_id: string
  first_seen_at: Generated<Date>
  last_seen_at: Generated<Date>
  state_changed_at: Generated<Date>
  reminders: Generated<number>
  reminded_since: Date | null
}

export interface SecurityExceptionsTable {
  id: string
  company_id: string
  environment_id: string
  finding_id: string
  state: Generated<string>
  reason: string
  created_by: string
  created_at: Generated<Date>
  expires_at: Date | null
  ended_at: Date | null
}

export interface VulnerabilityImportsTable {
  revision: GeneratedAlways<number>
  digest: string
  ecosystems: string[]
  vulnerabilities: number
  imported_at: Generated<Date>
}

/** A part of what a vulnerability affects: explicit versions, and ranges in the order of the ecosystem. */
export interface Affected {
  versions: string[]
  ranges: { introduced?: string; fixed?: string; lastAffected?: string }[]
}

export interface VulnerabilitiesTable {
  ecosystem: string
  package: string
  id: string
  severity: string
  title: string
  affected: Affected
}
