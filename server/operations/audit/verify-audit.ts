import {
  type BrokenEntry,
  ChainCheck,
  type ChainPosition,
  signedHeadText,
} from '@sandbox-jobs/contract/audit/chain-check.ts'
import type { Clock } from '../../base/clock.ts'
import type { TrustedKeys } from '../../base/keys/published-signing-keys.ts'
import { verifySignature } from '../../base/keys/signing-keys.ts'
import type { Database } from '../../db/database.ts'
import { findChain, findHead, type HeadRow, readEntriesAfter } from './audit-chain-store.ts'
import { chainedEntryOf, endOf, sha256Hex, signedWithinMs, startOf } from './audited-entry.ts'

const batch = 5000

export interface VerifiedChain {
  company_id: string
  /** Entries that were checked. */
  entries: number
  /** Null: the chain is intact. */
  broken: BrokenEntry | null
  /** The last entry that was removed because its time was over. */
  start: ChainPosition
  /** The newest entry: whoever remembers it notices any later change of what is before. */
  head: ChainPosition
  /** When the newest head was signed; null: none was yet. */
  signed_at: string | null
}

/**
 * Verifies a chain from its first entry to its end, against the stored head, the signed one, and those that the caller
 * remembers. Entries that are added or retired meanwhile do not matter.
 */
export async function verifyChain(
  db: Database,
  companyId: string,
  options: { trusted: TrustedKeys; clock: Clock; remembered?: readonly ChainPosition[] },
): Promise<VerifiedChain> {
  for (;;) {
    const verified = await verifyOnce(db, companyId, options)
    const chain = await findChain(db, companyId)
    if (!verified.broken || (chain?.start_sequence ?? 0) === verified.start.sequence) return verified
  }
}

async function verifyOnce(
  db: Database,
  companyId: string,
  { trusted, clock, remembered = [] }: Parameters<typeof verifyChain>[2],
): Promise<VerifiedChain> {
  // In this order: a head is never newer than the entries that are read after it.
  const signed = await findHead(db, companyId)
  const chain = await findChain(db, companyId)
  const start = startOf(chain)
  const heads = [...remembered, ...(signed ? [endOf(signed)] : []), ...(chain ? [endOf(chain)] : [])]
  const check = new ChainCheck({
    sha256: sha256Hex,
    companyId,
    start,
    heads,
  })
  let newestAt = 0
  for (let after = start.sequence; !check.broken; after = check.head.sequence) {
    const rows = await readEntriesAfter(db, companyId, { after, limit: batch })
    for (const row of rows) check.add(chainedEntryOf(row))
    newestAt = rows.at(-1)?.at.getTime() ?? newestAt
    if (rows.length < batch) break
  }
  const isUnsigned = signed
    ? !isSigned(trusted, signed)
    : check.entries > 0 && clock.now().getTime() - newestAt > signedWithinMs
  return {
    company_id: companyId,
    entries: check.entries,
    broken: check.end() ?? (isUnsigned ? { sequence: check.head.sequence, reason: 'head_unsigned' } : null),
    start,
    head: check.head,
    signed_at: signed?.signed_at.toISOString() ?? null,
  }
}

export function isSigned(trusted: TrustedKeys, head: HeadRow): boolean {
  const text = signedHeadText(head.company_id, endOf(head), head.signed_at.getTime())
  return verifySignature(trusted, Buffer.from(text), { keyId: head.key_id, bytes: head.signature })
}
