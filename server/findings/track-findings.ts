import { findingsPerScanMax } from '@sandbox-jobs/contract/limits.ts'
import type { FindingKind, ScanFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { openFindingStates } from '@sandbox-jobs/contract/states/finding-states.ts'
import type { Trx } from '../db/database.ts'
import { holdCurrentVersion } from '../environments/catalogue/current-version.ts'
import { listActiveExceptions } from './exception-store.ts'
import { bySeverity, type FindingRow, fingerprintOf } from './finding.ts'
import { insertFinding, listTracked, moveFinding, noteSeen, type SeenIn } from './finding-store.ts'

export interface Scanned {
  findings: readonly ScanFinding[]
  /** Kinds that the scan covers. Findings of other kinds do not change. */
  kinds: readonly FindingKind[]
  /** If false, a finding that is missing in `findings` may still exist. */
  isComplete: boolean
}

/**
 * Updates the findings of an environment from a scan of its current version. New findings become `discovered`.
 * Resolved findings that occur again become `reappeared`, or `excepted` if their exception is still active. Findings
 * that no longer occur become `resolved`.
 *
 * Scans of other versions are ignored: an environment has the findings of the version in use.
 */
export async function trackFindings(trx: Trx, seen: SeenIn, scan: Scanned): Promise<void> {
  const { findings, kinds, isComplete } = scan
  if ((await holdCurrentVersion(trx, seen)) !== seen.versionId) return
  const tracked = (await listTracked(trx, seen)).filter(({ kind }) =>
    (kinds as readonly string[]).includes(kind),
  )
  const missing = new Map(tracked.map((row) => [row.fingerprint, row]))
  const shown = findings.toSorted(bySeverity).slice(0, findingsPerScanMax)
  for (const [fingerprint, finding] of new Map(shown.map((each) => [fingerprintOf(each), each]))) {
    const known = missing.get(fingerprint)
    missing.delete(fingerprint)
    if (!known) {
      await insertFinding(trx, finding, seen)
      continue
    }
    await noteSeen(trx, known, finding, seen.versionId)
    if (known.state === 'resolved') await reappear(trx, known)
  }
  if (!isComplete || findings.length > shown.length) return
  for (const row of missing.values()) await moveFinding(trx, row, 'resolved', { from: openFindingStates })
}

async function reappear(trx: Trx, finding: FindingRow): Promise<void> {
  const [exception] = await listActiveExceptions(trx, finding.company_id, [finding.id])
  await moveFinding(trx, finding, exception ? 'excepted' : 'reappeared')
}
