import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryOf } from '@sandbox-jobs/contract/routes/route.ts'
import { addressOf } from '../api/api.ts'
import { apiPages, apiQuery } from '../api/queries.ts'

export type AuditQuery = Omit<QueryOf<typeof allRoutes.listAuditEntries>, 'page_size' | 'page_token'>

/** Entries of the audit log, the newest first. */
export const auditEntries = (query: AuditQuery) => apiPages(allRoutes.listAuditEntries, { query })

export const auditHead = apiQuery(allRoutes.readAuditHead, {})

/** The whole log as JSON lines, which `sandbox audit verify` reads. */
export const auditFile = (): string => addressOf(allRoutes.exportAuditEntries, {})
