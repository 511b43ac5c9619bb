import {
  type BrokenEntry,
  ChainCheck,
  type ChainedEntry,
  type ChainPosition,
  signedHeadText,
} from '@sandbox-jobs/contract/audit/chain-check.ts'
import { AuditEntry, AuditHead } from '@sandbox-jobs/contract/resources/companies/audit-entry.ts'
import { Compile } from 'typebox/compile'
import { type Clock, systemClock } from '../../base/clock.ts'
import { verifySignature } from '../../base/keys/signing-keys.ts'
import { sha256Hex, signedWithinMs } from '../../operations/audit/audited-entry.ts'
import { readPublicKeys } from './verify-image.ts'

export interface VerifiedExport {
  company_id: string
  entries: number
  /** Null: the log is intact. */
  broken: BrokenEntry | null
  /** The newest entry of the export. */
  head: ChainPosition
  signed_at: string | null
}

/** A line of an export is no head or entry; the message names the line. */
export class ExportUnreadable extends Error {
  override readonly name = 'ExportUnreadable'
}

const headCheck = Compile(AuditHead)
const entryCheck = Compile(AuditEntry)

/**
 * Verifies an export of the audit log from its lines alone, with the public keys in `pems`, and the heads that the caller
 * remembers. Throws `ExportUnreadable`.
 */
export async function verifyAuditExport(
  lines: AsyncIterable<string>,
  {
    pems,
    remembered = [],
    clock = systemClock,
  }: { pems: string[]; remembered?: readonly ChainPosition[]; clock?: Clock },
): Promise<VerifiedExport> {
  let head: AuditHead | undefined
  let check: ChainCheck | undefined
  let isUnsigned = false
  let line = 0
  for await (const text of lines) {
    line += 1
    if (text === '') continue
    if (!check || !head) {
      head = parsed(headCheck, text, line)
      check = checkOf(head, remembered)
    } else if (!check.broken) {
      const entry = parsed(entryCheck, text, line)
      const at = Date.parse(entry.at)
      check.add({ ...entry, at } satisfies ChainedEntry)
      isUnsigned ||= !isSignedSoon(head, { ...entry, at }, clock)
    }
  }
  if (!check || !head) throw new ExportUnreadable('the export is empty')
  const broken = check.end()
  const { signed } = head
  isUnsigned ||= signed !== null && !isSigned(head.company_id, signed, pems)
  return {
    company_id: head.company_id,
    entries: check.entries,
    broken: broken ?? (isUnsigned ? { sequence: check.head.sequence, reason: 'head_unsigned' } : null),
    head: check.head,
    signed_at: signed?.signed_at ?? null,
  }
}

/**
 * Whether the service may still sign an entry after the signed head, or have signed it after the export: it does within seconds. No
 * other entry is part of an intact log, or else whoever forges an export leaves the signature out.
 */
function isSignedSoon({ signed }: AuditHead, entry: { sequence: number; at: number }, clock: Clock): boolean {
  if (entry.sequence <= (signed?.sequence ?? 0)) return true
  const times = [clock.now().getTime(), ...(signed ? [Date.parse(signed.signed_at)] : [])]
  return times.some((time) => Math.abs(time - entry.at) <= signedWithinMs)
}

function checkOf(head: AuditHead, remembered: readonly ChainPosition[]): ChainCheck {
  const { company_id: companyId, start } = head
  const heads = [...remembered, head.head, ...(head.signed ? [head.signed] : [])]
  return new ChainCheck({
    sha256: sha256Hex,
    companyId,
    start,
    heads,
  })
}

function parsed<T>(check: { Check(value: unknown): value is T }, text: string, line: number): T {
  try {
    const value: unknown = JSON.parse(text)
    if (check.Check(value)) return value
  } catch {
    // The same for text that is no JSON.
  }
  throw new ExportUnreadable(`line ${line} is not of an export of the audit log`)
}

function isSigned(companyId: string, signed: NonNullable<AuditHead['signed']>, pems: string[]): boolean {
  const text = signedHeadText(companyId, signed, Date.parse(signed.signed_at))
  const signature = { keyId: signed.key_id, bytes: Buffer.from(signed.signature, 'base64') }
  return verifySignature(readPublicKeys(pems), Buffer.from(text), signature)
}
