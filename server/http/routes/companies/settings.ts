import { auditRoutes } from '@sandbox-jobs/contract/routes/audit-routes.ts'
import { extensionRoutes } from '@sandbox-jobs/contract/routes/extension-routes.ts'
import { settingsRoutes } from '@sandbox-jobs/contract/routes/settings-routes.ts'
import { usageRoutes } from '@sandbox-jobs/contract/routes/usage-routes.ts'
import { readBudgetUse } from '../../../billing/budgets/budget-use.ts'
import { reportUsage, usageCsv } from '../../../billing/usage/usage-report.ts'
import {
  readSettings,
  type SettingsContext,
  updateSettings,
} from '../../../companies/settings/settings-service.ts'
import { readStorageUse } from '../../../companies/storage/storage-quota.ts'
import {
  type KeptVersionContext,
  readKeptVersions,
} from '../../../environments/retention/read-kept-versions.ts'
import {
  type AuditReading,
  exportAudit,
  listAuditEntries,
  readAuditHead,
} from '../../../operations/audit/read-audit.ts'
import type { Downloads } from '../../../storage/downloads/downloads.ts'
import type { Mount } from '../../mount.ts'
import { goneSignal, untrustedHeaders } from '../../responses/send-download.ts'

/** Settings and usage of the caller's company (contract part 2, "Company settings"; part 3, D6). */
export function mountSettingsRoutes(mount: Mount, context: SettingsContext & KeptVersionContext): void {
  mount(settingsRoutes.readSettings, ({ principal }) => readSettings(context, principal))
  mount(extensionRoutes.readStorageUse, ({ principal }) => readStorageUse(context.db, principal))
  mount(extensionRoutes.listKeptVersions, ({ principal }) => readKeptVersions(context, principal))
  mount(settingsRoutes.updateSettings, ({ principal, body }) => updateSettings(context, principal, body))
  mount(usageRoutes.readBudgetUse, ({ principal }) => readBudgetUse(context, principal))
  mount(usageRoutes.readUsageReport, ({ principal, query }) => reportUsage(context, principal, query))
  mount(usageRoutes.downloadUsageReport, async ({ principal, query, reply }) => {
    const report = await reportUsage(context, principal, query)
    return reply
      .headers({
        ...untrustedHeaders,
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="usage-${report.from}-${report.to}.csv"`,
      })
      .send(usageCsv(report))
  })
}

/** The audit log of the caller's company (contract part 3, D6). */
export function mountAuditRoutes(mount: Mount, reading: AuditReading & { downloads: Downloads }): void {
  mount(auditRoutes.listAuditEntries, ({ principal, query }) => listAuditEntries(reading, principal, query))
  mount(auditRoutes.readAuditHead, ({ principal }) => readAuditHead(reading, principal))
  mount(auditRoutes.exportAuditEntries, async ({ principal, query, reply }) => {
    const body = await exportAudit(reading, principal, { after: query.after ?? 0, signal: goneSignal(reply) })
    return reply
      .headers({
        ...untrustedHeaders,
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': `attachment; filename="audit-${principal.companyId}.jsonl"`,
      })
      .send(body)
  })
}
