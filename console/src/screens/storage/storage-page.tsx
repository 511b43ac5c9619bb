import type { StorageUse } from '@sandbox-jobs/contract/resources/companies/storage-use.ts'
import { useQuery } from '@tanstack/react-query'
import { storageUse } from '../../data/company/usage.ts'
import { Panel } from '../../parts/panel.tsx'
import table from '../../parts/table.module.css'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { CompanyPage } from '../company/company-page.tsx'
import { KeptVersions } from './kept-versions.tsx'

/** The disk that the company uses, by kind, and the versions that use the most. */
export function StoragePage() {
  const use = useQuery(storageUse)
  return (
    <CompanyPage part="storage">
      <Panel query={use} rows={6}>
        {(shown) => <Kinds use={shown} />}
      </Panel>
      <KeptVersions />
    </CompanyPage>
  )
}

function Kinds({ use }: { use: StorageUse }) {
  const t = useTexts()
  const formats = useFormats()
  const { kept_bytes: kept, limit_bytes: limit } = use
  const names: Partial<Record<string, string>> = t.storage.kinds
  return (
    <section className={styles.part}>
      <p>
        {limit === null
          ? t.storage.used(formats.bytes(kept))
          : t.storage.usedOf(formats.bytes(kept), formats.bytes(limit))}
      </p>
      {limit !== null && (
        <progress className={styles.meter} aria-label={t.usage.used} max={limit} value={kept} />
      )}
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">{t.storage.kind}</th>
            <th scope="col">{t.environments.size}</th>
          </tr>
        </thead>
        <tbody>
          {use.kinds.map(({ kind, bytes }) => (
            <tr key={kind}>
              <td>{names[kind] ?? kind.replaceAll('_', ' ')}</td>
              <td className={table.number}>{formats.bytes(bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
