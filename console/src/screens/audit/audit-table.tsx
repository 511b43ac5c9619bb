import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { AuditEntry } from '@sandbox-jobs/contract/resources/companies/audit-entry.ts'
import { Link } from '@tanstack/react-router'
import { DateTime } from '../../parts/date-time.tsx'
import { IdText } from '../../parts/id-text.tsx'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'

interface Props {
  entries: readonly AuditEntry[]
  names: ReadonlyMap<string, string>
}

/** Entries of the audit log. An operation, an actor and an object lead to their other entries. */
export function AuditTable({ entries, names }: Props) {
  const t = useTexts()
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th scope="col">{t.audit.at}</th>
          <th scope="col">{t.audit.action}</th>
          <th scope="col">{t.audit.actor}</th>
          <th scope="col" className={styles.wide}>
            {t.audit.change}
          </th>
          <th scope="col" className={styles.wide}>
            {t.audit.object}
          </th>
          <th scope="col" className={styles.wide}>
            {t.audit.digests}
          </th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <Row key={entry.sequence} entry={entry} name={names.get(entry.actor_id)} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ entry, name }: { entry: AuditEntry; name: string | undefined }) {
  const t = useTexts()
  const { change, to_state: state, digest_before: before, digest_after: after } = entry
  return (
    <tr>
      <td className={table.number}>
        <DateTime at={entry.at} />
      </td>
      <td>
        <Link to="/company/audit" search={(old) => ({ ...old, action: entry.action })}>
          <code>{entry.action}</code>
        </Link>
      </td>
      <td>
        {entry.actor_type === 'service' ? (
          t.audit.service
        ) : (
          <Link
            to="/company/audit"
            search={(old) => ({ ...old, actor: entry.actor_id })}
            title={plainText(entry.actor_id)}
          >
            <TenantText text={name ?? entry.actor_id} />
          </Link>
        )}
      </td>
      <td className={styles.wide}>
        {t.audit.changes[change]}
        {state !== null && <code> {state}</code>}
      </td>
      <td className={styles.wide}>
        <Link
          to="/company/audit"
          search={(old) => ({ ...old, object: entry.object_id })}
          title={plainText(entry.object_id)}
        >
          <code>{entry.object_type}</code> <TenantText text={entry.object_id} />
        </Link>
      </td>
      <td className={styles.wide}>
        {before !== null && <IdText id={before} />}
        {after !== null && <IdText id={after} />}
      </td>
    </tr>
  )
}
