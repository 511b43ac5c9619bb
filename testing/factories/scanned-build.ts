import type { ScanFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { type Package, unscanned } from '../../reader/inventory/inventory.ts'
import { newId } from '../../server/base/ids.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import { cycloneDx } from '../../server/builds/reports/cyclonedx.ts'
import { scanReport } from '../../server/builds/reports/scan-report.ts'
import type { Database } from '../../server/db/database.ts'
import { trackFindings } from '../../server/findings/track-findings.ts'
import type { ObjectStorage } from '../../server/storage/port.ts'

const zero = `sha256:${'0'.repeat(64)}`

interface ScannedBuild {
  companyId: string
  environmentId: string
  versionId: string
  attemptId: string
}

/** A minimal report and SBOM of a build. */
export async function storeReport(
  db: Database,
  storage: ObjectStorage,
  build: ScannedBuild,
  packages: Package[] = [],
): Promise<void> {
  const system = { id: 'debian', version: '12', name: 'Debian' }
  const inventory = { ...unscanned, system, packages, unread: [], truncated: false }
  const sbom = cycloneDx(inventory, zero)
  const sbomDigest = sha256Of(sbom)
  const matched = { database: undefined, findings: [], isComplete: true }
  const report = scanReport({ request: build, layerDigest: zero, sbomDigest, inventory, matched })
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

/** Records scan findings for a version's image; the version is the current one of its environment. */
export async function recordFindings(
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
