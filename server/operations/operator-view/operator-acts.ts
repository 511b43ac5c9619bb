import type { OperatorActList } from '@sandbox-jobs/contract/operator/operator-act.ts'
import type { Database } from '../../db/database.ts'
import { readAuditLog } from '../audit/audit-log.ts'

const pageSize = 50

/** A page of the audit log of operators: the newest entries, or those before one. */
export async function listActs(db: Database, before: number | undefined): Promise<OperatorActList> {
  const { items, broken_at } = await readAuditLog(db, pageSize, before)
  const last = items.at(-1)?.sequence
  return {
    items: items.map(({ sequence, done_at, account, act, subject, details }) => ({
      ...{ sequence, account, act, subject, details: { ...details } },
      done_at: done_at.toISOString(),
    })),
    next_before: last !== undefined && last > 1 ? last : null,
    broken_at,
  }
}
