import { auditRoutes } from '@sandbox-jobs/contract/routes/audit-routes.ts'
import {
  type AuditReading,
  exportAudit,
  listAuditEntries,
  readAuditHead,
} from '../../../operations/audit/read-audit.ts'
import type { Mount } from '../../mount.ts'
import { untrustedHeaders } from '../../responses/untrusted.ts'

/** The audit log of the caller's company (contract part 3, D6). */
export function mountAuditRoutes(mount: Mount, reading: AuditReading): void {
  mount(auditRoutes.listAuditEntries, ({ principal, query }) => listAuditEntries(reading, principal, query))
  mount(auditRoutes.readAuditHead, ({ principal }) => readAuditHead(reading, principal))
  mount(auditRoutes.exportAuditEntries, async ({ principal, query, reply }) => {
    const body = await exportAudit(reading, principal, query.after ?? 0)
    return reply
      .headers({
        ...untrustedHeaders,
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': `attachment; filename="audit-${principal.companyId}.jsonl"`,
      })
      .send(body)
  })
}
