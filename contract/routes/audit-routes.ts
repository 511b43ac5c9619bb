import {
  AuditEntryList,
  AuditExportQuery,
  AuditHead,
  AuditQuery,
} from '../resources/companies/audit-entry.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

const reads = {
  action: 'audit.read',
  tag: 'Settings',
  method: 'GET',
  plainErrors: ['role_too_low'],
} as const

/** The audit log of the company (contract part 3, D6), for auditors and administrators. */
export const auditRoutes = {
  listAuditEntries: route({
    ...reads,
    path: `${extensionPrefix}/audit/entries`,
    summary: 'List entries of the audit log',
    description:
      'Newest first, by time, actor, object, operation or kind of object. With one of the last two, a page is of the next 50,000 entries that match the others: it may have fewer entries than `page_size`, or none, and `next_page_token` leads on. A change is an entry about a second after it was committed. Entries have digests and never a value.',
    query: AuditQuery,
    response: AuditEntryList,
    errors: ['audit_busy'],
  }),
  readAuditHead: route({
    ...reads,
    path: `${extensionPrefix}/audit/head`,
    summary: 'Read where the audit log starts and ends',
    description:
      'A reader who keeps the head can show later that nothing before it was changed or removed. The signature is over `sandbox-jobs audit head v1`, a line feed, and a JSON array of company, sequence, hash and milliseconds since 1970.',
    response: AuditHead,
    errors: [],
  }),
  exportAuditEntries: route({
    ...reads,
    path: `${extensionPrefix}/audit/export`,
    summary: 'Export the audit log as JSON lines',
    description:
      'The first line is an AuditHead, each later one an AuditEntry, oldest first. `sandbox audit verify --file` verifies it without the service.',
    query: AuditExportQuery,
    mediaType: 'application/x-ndjson',
    errors: ['audit_busy'],
  }),
}
