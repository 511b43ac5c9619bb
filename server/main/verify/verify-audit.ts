import {
  type BrokenEntry,
  ChainCheck,
  type ChainedEntry,
  type ChainPosition,
  signedHeadText,
} from '@sandbox-jobs/contract/audit/chain-check.ts'
import { AuditEntry, AuditHead } from '@sandbox-jobs/contract/resources/companies/audit-entry.ts'
import { Compile } from 'typebox/compile'
import { verifySignature } from '../../base/keys/signing-keys.ts'
import { sha256Hex } from '../../operations/audit/audited-entry.ts'
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
  { pems, remembered = [] }: { pems: string[]; remembered?: readonly ChainPosition[] },
): Promise<VerifiedExport> {
  let head: AuditHead | undefined
  let check: ChainCheck | undefined
  let line = 0
  for await (const text of lines) {
    line += 1
    if (text === '') continue
    if (!check || !head) {
      head = parsed(headCheck, text, line)
      check = checkOf(head, remembered)
    } else if (!check.broken) {
      const entry = parsed(entryCheck, text, line)
      check.add({ ...entry, at: Date.parse(entry.at) } satisfies ChainedEntry)
    }
  }
  if (!check || !head) throw new ExportUnreadable('the export is empty')
  const broken = check.end()
  const { signed } = head
  const isForged = signed !== null && !isSigned(head.company_id, signed, pems)
  return {
    company_id: head.company_id,
    entries: check.entries,
    broken: broken ?? (isForged ? { sequence: signed.sequence, reason: 'head_unsigned' } : null),
    head: check.head,
    signed_at: signed?.signed_at ?? null,
  }
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
