import { createHash } from 'node:crypto'
import type { ChainedEntry, ChainPosition, Sha256 } from '@sandbox-jobs/contract/audit/chain-check.ts'
import type { AuditRow, ChainRow } from './audit-chain-store.ts'

export const sha256Hex: Sha256 = (text) => createHash('sha256').update(text).digest('hex')

/** A chain whose newest entry is older has a signed head, or somebody removed it. */
export const signedWithinMs = 3_600_000

/** The entry as it is chained. */
export const chainedEntryOf = ({ company_id: _of, ...row }: AuditRow): ChainedEntry => ({
  ...row,
  at: row.at.getTime(),
  digest_before: row.digest_before?.toString('hex') ?? null,
  digest_after: row.digest_after?.toString('hex') ?? null,
  hash: row.hash.toString('hex'),
})

export const startOf = (chain: ChainRow | undefined): ChainPosition => ({
  sequence: chain?.start_sequence ?? 0,
  hash: chain?.start_hash.toString('hex') ?? '',
})

export const endOf = (row: { sequence: number; hash: Buffer } | undefined): ChainPosition => ({
  sequence: row?.sequence ?? 0,
  hash: row?.hash.toString('hex') ?? '',
})
