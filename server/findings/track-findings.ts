import { findingsPerScanMax } from '@sandbox-jobs/contract/limits.ts'
import type { FindingKind, ScanFinding } from '@sandbox-jobs/contract/resources/security-finding.ts'
import { openFindingStates } from '@sandbox-jobs/contract/states/finding-states.ts'
import type { Trx } from '../db/database.ts'
import { holdCurrentVersion } from '../environments/current-version.ts'
import { listActiveExceptions } from './exception-store.ts'
import { bySeverity, type FindingRow, fingerprintOf } from './finding.ts'
import { insertFinding, listTracked, moveFinding, noteSeen, type SeenIn } from './finding-store.ts'

export interface Scanned {
  findings: readonly ScanFinding[]
  /** Kinds that `findings` speaks of; findings of others stay. */
  kinds: readonly FindingKind[]
  /** Otherwise what is not among `findings` may be there still. */
  isComplete: boolean
}

/**
 * Brings the findings of an environment up to what its current version shows: new ones are discovered, those that had
 * been resolved reappear (excepted still, if their exception has not ended), those that are gone are resolved.
 *
 * A version that is not the current one says nothing: the findings of an environment are those of the version that
 * is used.
 */
export async function trackFindings(trx: Trx, seen: SeenIn, scan: Scanned): Promise<void> {
  const { findings, kinds, isComplete } = scan
  if ((await holdCurrentVersion(trx, seen)) !== seen.versionId) return
  const tracked = (await listTracked(trx, seen)).filter(({ kind }) =>
    (kinds as readonly string[]).includes(kind),
  )
  const unseen = new Map(tracked.map((row) => [row.fingerprint, row]))
  const shown = findings.toSorted(bySeverity).slice(0, findingsPerScanMax)
  for (const [fingerprint, finding] of new Map(shown.map((each) => [fingerprintOf(each), each]))) {
    const known = unseen.get(fingerprint)
    unseen.delete(fingerprint)
    if (!known) {
      await insertFinding(trx, finding, seen)
      continue
    }
    await noteSeen(trx, known, finding, seen.versionId)
    if (known.state === 'resolved') await reappear(trx, known)
  }
  if (!isComplete || findings.length > shown.length) return
  for (const row of unseen.values()) await moveFinding(trx, row, 'resolved', { from: openFindingStates })
}

async function reappear(trx: Trx, finding: FindingRow): Promise<void> {
  const [exception] = await listActiveExceptions(trx, finding.company_id, [finding.id])
  await moveFinding(trx, finding, exception ? 'excepted' : 'reappeared')
}
