import { type Acting, actingAs, inRequest } from '../../base/current-request.ts'
import type { Database } from '../../db/database.ts'
import { type AuditEntry, recordAuditEntry } from '../audit/audit-log.ts'

/** A change by an operator, the same by a command and in the operator console: its entry in the audit log, and its work. */
export interface Act<Services, T> {
  entry: AuditEntry
  work: (services: Services, account: string) => Promise<T>
}

export interface Operator {
  /** Of the machine. */
  account: string
  /** Why the operator does it; not every command asks. */
  reason?: string | undefined
  /** The id of the request of the operator console; absent: a command. */
  request?: string
}

/** Does an act. The audit log has it before it starts, and each change names the operator. */
export function doAct<Services extends { db: Database }, T>(
  services: Services,
  { entry, work }: Act<Services, T>,
  { account, reason, request }: Operator,
): Promise<T> {
  const acting: Acting = { action: entry.act, actor_type: 'operator', actor_id: account }
  const recorded = async () => {
    const details = { ...entry.details, ...(reason && { reason }), ...(request && { request }) }
    await recordAuditEntry(services.db, { ...entry, details }, account)
    return work(services, account)
  }
  return request ? inRequest(request, recorded, acting) : actingAs(acting, recorded)
}
