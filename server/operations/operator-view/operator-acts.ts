import type { OperatorActList } from '@sandbox-jobs/contract/operator/operator-act.ts'
import type { Database } from '../../db/database.ts'
import { type AuditLog, listAuditEntries, readAuditLog } from '../audit/audit-log.ts'

const pageSize = 50

/** A page of the audit log of operators: the newest entries, with a check of the whole log, or those before one. */
export async function listActs(db: Database, before: number | undefined): Promise<OperatorActList> {
  const { items, ...checked } = await readPage(db, before)
  const last = items.at(-1)?.sequence
  return {
    items: items.map(({ sequence, done_at, account, act, subject, details }) => ({
      ...{ sequence, account, act, subject, details: { ...details } },
      done_at: done_at.toISOString(),
    })),
    next_before: last !== undefined && last > 1 ? last : null,
    ...checked,
  }
}

/** The check reads every entry. The console shows its result once, above all pages, so later pages do not repeat it. */
const readPage = async (
  db: Database,
  before: number | undefined,
): Promise<Pick<AuditLog, 'items'> & Partial<AuditLog>> =>
  before === undefined ? readAuditLog(db, pageSize) : { items: await listAuditEntries(db, pageSize, before) }
