import { Readable } from 'node:stream'
import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type {
  AuditEntry,
  AuditEntryList,
  AuditHead,
  AuditQuery,
} from '@sandbox-jobs/contract/resources/companies/audit-entry.ts'
import { authorize, ownCompany } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { readInstant } from '../../base/errors/validation-error.ts'
import type { PageTokens } from '../../base/page.ts'
import type { Database } from '../../db/database.ts'
import { SharedSlots } from '../../fairness/shared-slots.ts'
import type { Downloads } from '../../storage/downloads/downloads.ts'
import {
  type AuditRow,
  type EntryPosition,
  findChain,
  findEntryAt,
  findHead,
  listEntries,
  readEntriesAfter,
} from './audit-chain-store.ts'
import { chainedEntryOf, endOf, startOf } from './audited-entry.ts'

/** Lists and exports of one process: each company gets two, and one even when all are taken. */
const slotBounds = { all: 6, each: 2, assuredEach: 1 }
const exportBatch = 500
/** Entries that one request looks at for an operation or a kind of object, which no index has. */
const searchedMax = 50_000

export interface AuditReading {
  db: Database
  pages: PageTokens
  slots: SharedSlots
  /** Entries that one request looks at for an operation or a kind of object. */
  searched: number
}

export const auditReading = (db: Database, pages: PageTokens, searched = searchedMax): AuditReading => ({
  db,
  pages,
  slots: new SharedSlots(slotBounds),
  searched,
})

/** Newest first. Throws `audit_busy`, and plain 403 for who is neither auditor nor administrator. */
export async function listAuditEntries(
  { db, pages, slots, searched }: AuditReading,
  principal: Principal,
  query: AuditQuery,
): Promise<AuditEntryList> {
  authorize(principal, 'audit.read', ownCompany)
  const release = take(slots, principal)
  try {
    const { companyId } = principal
    const size = query.page_size ?? catalogPageSizeDefault
    const { action, object_type: objectType } = query
    const filters = [query.from, query.to, query.actor_id, query.object_id, action, objectType]
    const list = `audit:${JSON.stringify([companyId, ...filters])}`
    const cursor = pages.read(list, query.page_token)
    const filter = {
      companyId,
      before: cursor && { at: new Date(Number(cursor[0])), sequence: Number(cursor[1]) },
      from: query.from === undefined ? undefined : readInstant(['query', 'from'], query.from),
      to: query.to === undefined ? undefined : readInstant(['query', 'to'], query.to),
      actorId: query.actor_id,
      objectId: query.object_id,
    }
    const isChosen = action !== undefined || objectType !== undefined
    const last = isChosen ? await findEntryAt(db, filter, searched) : undefined
    const rows = await listEntries(db, filter, { action, objectType, last, limit: size + 1 })
    const page = pages.page(list, rows, size, { item: entryOf, cursor: cursorOf })
    // Nothing more of this stretch: the next page is of the one behind it.
    return page.next_page_token === null && last
      ? { ...page, next_page_token: pages.write(list, cursorOf(last)) }
      : page
  } finally {
    release()
  }
}

/** Where the log of the caller's company starts and ends. */
export async function readAuditHead({ db }: AuditReading, principal: Principal): Promise<AuditHead> {
  authorize(principal, 'audit.read', ownCompany)
  const { companyId } = principal
  // In this order: the signed head is never newer than the chain.
  const signed = await findHead(db, companyId)
  const chain = await findChain(db, companyId)
  return {
    company_id: companyId,
    start: startOf(chain),
    head: endOf(chain),
    signed: signed
      ? {
          ...endOf(signed),
          signed_at: signed.signed_at.toISOString(),
          key_id: signed.key_id,
          signature: signed.signature.toString('base64'),
        }
      : null,
  }
}

/**
 * The head, then the entries after `after`, as JSON lines, as fast as the reader takes them and its company pays for them. Throws what the
 * list does; a failure later ends the stream early.
 */
export async function exportAudit(
  reading: AuditReading & { downloads: Downloads },
  principal: Principal,
  { after, signal }: { after: number; signal: AbortSignal },
): Promise<Readable> {
  const head = await readAuditHead(reading, principal)
  const release = take(reading.slots, principal)
  const lines = Readable.from(linesOf(reading.db, head, after), { objectMode: false })
  return reading.downloads.send(lines, { companyId: principal.companyId, signal }, release)
}

async function* linesOf(db: Database, head: AuditHead, after: number): AsyncGenerator<string, void> {
  yield `${JSON.stringify(head)}\n`
  for (let last = Math.max(after, head.start.sequence); ; ) {
    const rows = await readEntriesAfter(db, head.company_id, { after: last, limit: exportBatch })
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(entryOf(row))}\n`).join('')
    if (rows.length < exportBatch) return
    last = rows.at(-1)?.sequence ?? last
  }
}

function take(slots: SharedSlots, { companyId }: Principal): () => void {
  const release = slots.take(companyId)
  if (!release) throw new CodedError('audit_busy')
  return release
}

const cursorOf = ({ at, sequence }: EntryPosition) => [at.getTime(), sequence]

const entryOf = (row: AuditRow): AuditEntry =>
  ({ ...chainedEntryOf(row), at: row.at.toISOString() }) as AuditEntry
