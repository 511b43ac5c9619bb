import type { ScanFinding } from '@sandbox-jobs/contract/resources/security-finding.ts'
import { newId } from '../../base/ids.ts'
import { sha256Of } from '../../base/sha256.ts'
import { cycloneDx } from '../../builds/scan/cyclonedx.ts'
import { type Package, unscanned } from '../../builds/scan/inventory.ts'
import { scanReport } from '../../builds/scan/scan-report.ts'
import type { Database } from '../../db/database.ts'
import { trackFindings } from '../../findings/track-findings.ts'
import type { ObjectStorage } from '../../storage/port.ts'

const zero = `sha256:${'0'.repeat(64)}`

interface ScannedBuild {
  companyId: string
  environmentId: string
  versionId: string
  attemptId: string
}

/** A report and an SBOM of a build, as small as they can be. */
export async function giveReport(
  db: Database,
  storage: ObjectStorage,
  build: ScannedBuild,
  packages: Package[] = [],
): Promise<void> {
  const system = { id: 'debian', version: '12', name: 'Debian' }
  const inventory = { ...unscanned, system, packages, unread: [], truncated: false }
  const sbom = cycloneDx(inventory, zero)
  const sbomDigest = sha256Of(sbom)
  const matched = { database: undefined, findings: [] }
  const report = scanReport({ order: build, layerDigest: zero, sbomDigest, inventory, matched })
  const ids: string[] = []
  for (const content of [Buffer.from(JSON.stringify(report)), sbom]) {
    const id = newId('ownedObject')
    const storageKey = `reports/${id}`
    const stored = await storage.put(storageKey, content)
    await db
      .insertInto('owned_objects')
      .values({
        id,
        company_id: build.companyId,
        environment_id: build.environmentId,
        build_attempt_id: build.attemptId,
        object_kind: 'report',
        archive_format: null,
        storage_key: storageKey,
        byte_size: stored.byteSize,
        digest: stored.digest,
        expires_at: null,
      })
      .execute()
    ids.push(id)
  }
  const [report_object_id = null, sbom_object_id = null] = ids
  await db
    .updateTable('build_attempts')
    .set({ report_object_id, sbom_object_id })
    .where('id', '=', build.attemptId)
    .execute()
}

/** A finding by its subject. */
export const makeFinding = (subject: string, change: Partial<ScanFinding> = {}): ScanFinding => ({
  kind: 'file',
  rule: 'setuid_file',
  subject,
  severity: 'low',
  title: 'Program that runs as its owner',
  installed_version: '',
  fixed_version: '',
  ...change,
})

/** What the scan of a version's image showed, the version being the current one of its environment. */
export async function showFindings(
  db: Database,
  version: Omit<ScannedBuild, 'attemptId'>,
  findings: readonly ScanFinding[],
): Promise<void> {
  await db
    .updateTable('environments')
    .set({ current_version_id: version.versionId })
    .where('id', '=', version.environmentId)
    .execute()
  const scan = { findings, kinds: ['file', 'secret', 'vulnerability'], isComplete: true } as const
  await db.transaction().execute((trx) => trackFindings(trx, version, scan))
}
