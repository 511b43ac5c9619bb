import { type AuditLog, readAuditLog } from '../../operations/audit/audit-log.ts'
import { onLocalService, type ServiceRefusal } from './local-service.ts'

/** The newest acts of operators. */
export const readOperatorLog = (limit: number): Promise<{ ok: true; value: AuditLog } | ServiceRefusal> =>
  onLocalService(({ db }) => readAuditLog(db, limit))
