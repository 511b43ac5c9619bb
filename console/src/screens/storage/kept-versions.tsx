import type { KeptVersion } from '@sandbox-jobs/contract/resources/environments/kept-version.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { keptVersions } from '../../data/company/usage.ts'
import { DateTime } from '../../parts/date-time.tsx'
import { Panel } from '../../parts/panel.tsx'
import rowLink from '../../parts/row-link.module.css'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'

/** The versions of environments that keep the most, and why they are kept. */
export function KeptVersions() {
  const t = useTexts()
  const versions = useQuery(keptVersions)
  return (
    <section className={styles.part}>
      <h2>{t.storage.versions}</h2>
      <Panel query={versions} rows={4} empty={({ items }) => items.length === 0 && t.storage.noVersions}>
        {({ items }) => (
          <table className={table.table}>
            <thead>
              <tr>
                <th scope="col">{t.environments.version}</th>
                <th scope="col">{t.environments.size}</th>
                <th scope="col">{t.storage.keptBy}</th>
                <th scope="col" className={styles.wide}>
                  {t.storage.removedAfter}
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((version) => (
                <Row key={version.version_id} version={version} />
              ))}
            </tbody>
          </table>
        )}
      </Panel>
    </section>
  )
}

function Row({ version }: { version: KeptVersion }) {
  const t = useTexts()
  const formats = useFormats()
  return (
    <tr className={rowLink.row}>
      <td>
        <Link
          to="/environments/$id/versions/$vid"
          params={{ id: version.environment_id, vid: version.version_id }}
          className={rowLink.link}
        >
          <TenantText text={version.environment_name} /> {t.environments.numbered(version.version_number)}
        </Link>
      </td>
      <td className={table.number}>{formats.bytes(version.image_bytes + version.archive_bytes)}</td>
      <td>{version.kept_by.map((use) => t.storage.uses[use]).join(', ')}</td>
      <td className={`${styles.wide} ${table.number}`}>
        {version.removed_after !== null && <DateTime at={version.removed_after} />}
      </td>
    </tr>
  )
}
