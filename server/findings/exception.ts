import type { SecurityException } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import type { ExceptionState } from '@sandbox-jobs/contract/states/finding-states.ts'
import type { Selectable } from 'kysely'
import type { SecurityExceptionsTable } from '../db/tables/findings.ts'

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
