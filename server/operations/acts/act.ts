import { type Acting, actingAs, inRequest } from '../../base/current-request.ts'
import type { Database } from '../../db/database.ts'
import { type AuditEntry, recordAuditEntry } from '../audit/audit-log.ts'

/** A change by an operator, the same by a command and in the operator console: its entry in the audit log, and its work. */
export interface Act<Services, T> {
  entry: AuditEntry
  work: (services: Services) => Promise<T>
}

export interface Operator {
  /** Of the machine. */
  account: string
  /** The request of the operator console, and why the operator made it; absent: a command. */
  request?: { id: string; reason: string }
}

/** Does an act. The audit log has it before it starts, and each change names the operator. */
export function doAct<Services extends { db: Database }, T>(
  services: Services,
  { entry, work }: Act<Services, T>,
  { account, request }: Operator,
): Promise<T> {
  const acting: Acting = { action: entry.act, actor_type: 'operator', actor_id: account }
  const recorded = async () => {
    const details = { ...entry.details, ...(request && { reason: request.reason, request: request.id }) }
    await recordAuditEntry(services.db, { ...entry, details }, account)
    return work(services)
  }
  return request ? inRequest(request.id, recorded, acting) : actingAs(acting, recorded)
}
