import { findingsPerScanMax, openFindingsMax } from '@sandbox-jobs/contract/limits.ts'
import type { FindingKind, ScanFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import type { Trx } from '../db/database.ts'
import { lockCurrentVersionOf } from '../environments/catalogue/current-version.ts'
import { listActiveExceptions } from './exception-store.ts'
import { bySeverity, type FindingRow, fingerprintOf } from './finding.ts'
import {
  insertFindings,
  lockKnown,
  recordSeen,
  reopen,
  resolveLongestUnseen,
  resolveOthers,
  type SeenIn,
} from './finding-store.ts'

export interface Scanned {
  findings: readonly ScanFinding[]
  /** Kinds that the scan covers. Findings of other kinds do not change. */
  kinds: readonly FindingKind[]
  /** If false, a finding that is missing in `findings` may still exist. */
  isComplete: boolean
}

/**
 * Updates the findings of an environment from a scan of its current version. New findings become `discovered`.
 * Resolved findings that occur again become `reappeared`, or `excepted` if their exception is still active, or `blocked`
 * again. Findings that no longer occur become `resolved`. An incomplete scan resolves none of them, but those that were seen
 * longest ago when more than `openFindingsMax` are open.
 *
 * Scans of other versions are ignored: an environment has the findings of the version in use. So are scans of curated
 * environments, which several companies may build: the report of each build has their findings. The history of the
 * environment is not read, only what the scan shows and what is open.
 */
export async function trackFindings(trx: Trx, seen: SeenIn, scan: Scanned): Promise<void> {
  const { findings, kinds, isComplete } = scan
  if ((await lockCurrentVersionOf(trx, seen)) !== seen.versionId) return
  const shown = findings.toSorted(bySeverity).slice(0, findingsPerScanMax)
  const byFingerprint = new Map(shown.map((each) => [fingerprintOf(each), each]))
  const fingerprints = [...byFingerprint.keys()]
  const rows = [...byFingerprint].map(([fingerprint, each]) => ({ ...each, fingerprint }))
  const known = await lockKnown(trx, seen, fingerprints)
  const knownFingerprints = new Set(known.map(({ fingerprint }) => fingerprint))
  await recordSeen(trx, rows, seen)
  const added = rows.filter(({ fingerprint }) => !knownFingerprints.has(fingerprint))
  await insertFindings(trx, added, seen)
  await reopenShown(trx, seen, known)
  if (isComplete && findings.length === shown.length) {
    await resolveOthers(trx, seen, { kinds, fingerprints })
  } else {
    await resolveLongestUnseen(trx, seen, openFindingsMax)
  }
}

async function reopenShown(
  trx: Trx,
  seen: SeenIn,
  known: readonly Pick<FindingRow, 'id' | 'state' | 'block_reason'>[],
): Promise<void> {
  const resolved = known.filter(({ state }) => state === 'resolved')
  const ids = resolved.map(({ id }) => id)
  const exceptions = await listActiveExceptions(trx, seen.companyId, ids)
  const blocked = resolved.filter((finding) => finding.block_reason !== null).map(({ id }) => id)
  const excepted = exceptions.map((exception) => exception.finding_id)
  await reopen(trx, seen, blocked, 'blocked')
  await reopen(trx, seen, excepted, 'excepted')
  // Those that are left.
  await reopen(trx, seen, ids, 'reappeared')
}
