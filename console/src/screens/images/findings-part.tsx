import type { ScanReport } from '@sandbox-jobs/contract/resources/builds/scan-report.ts'
import type { EnvironmentVersion } from '@sandbox-jobs/contract/resources/environments/environment-version.ts'
import { severities } from '@sandbox-jobs/contract/severities.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { scanReportOf } from '../../data/authoring/images.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Moment } from '../../parts/moment.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { FindingGrid } from '../environment-findings/finding-grid.tsx'
import { ImagePanel } from './image-panel.tsx'
import styles from './images.module.css'
import { lastBuildOf } from './last-build.ts'

/** The scan of the image of a version: what it read, and what it found. */
export default function FindingsPart({ version }: { version: EnvironmentVersion }) {
  const t = useTexts()
  const report = useQuery(scanReportOf(lastBuildOf(version)))
  return (
    <section className={styles.part}>
      <h2 className="hidden">{t.images.parts.findings}</h2>
      <ImagePanel query={report} rows={8} missing={t.images.noReport}>
        {(shown) => (
          <>
            <p>{t.scans.why}</p>
            <Scan report={shown} />
            {shown.truncated && <p>{t.scans.truncated}</p>}
            {shown.findings.length > 0 && (
              <FindingGrid label={t.images.parts.findings} findings={shown.findings} />
            )}
            <p>
              <Link to="/environments/$id/findings" params={{ id: version.environment_id }}>
                {t.scans.ofEnvironment}
              </Link>
            </p>
          </>
        )}
      </ImagePanel>
    </section>
  )
}

function Scan({ report }: { report: ScanReport }) {
  const t = useTexts()
  const formats = useFormats()
  const { system, vulnerability_database: database, finding_counts: counts, unread } = report
  const found = severities.filter((severity) => counts[severity] > 0)
  return (
    <Facts>
      <Fact name={t.scans.found}>
        {found.length === 0
          ? t.scans.none
          : found
              .map((severity) => `${t.scans.severities[severity]} ${formats.number(counts[severity])}`)
              .join(', ')}
      </Fact>
      <Fact name={t.scans.system}>{system && <TenantText text={system.name} />}</Fact>
      <Fact name={t.scans.read}>
        {t.scans.readCount(
          formats.number(report.file_count),
          formats.bytes(report.byte_count),
          formats.number(report.package_count),
        )}
      </Fact>
      <Fact name={t.scans.database}>
        {database ? (
          <>
            {t.scans.databaseOf(database.revision)} <Moment at={database.imported_at} />
          </>
        ) : (
          t.scans.noDatabase
        )}
      </Fact>
      <Fact name={t.scans.unread}>{unread.length === 0 ? null : formats.number(unread.length)}</Fact>
    </Facts>
  )
}
