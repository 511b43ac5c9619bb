import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { tables } from '../../data/authoring/tables.ts'
import { me } from '../../data/person/me.ts'
import links from '../../parts/button.module.css'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import rowLink from '../../parts/row-link.module.css'
import { StateBadge } from '../../parts/state-badge.tsx'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from './tables.module.css'

/** The tables that the person manages. */
export function TablesPage() {
  const t = useTexts()
  const list = useQuery(tables)
  const { data: account } = useQuery(me)
  return (
    <Page
      title={t.tables.title}
      actions={
        account?.can.upload_environment && (
          <Link to="/tables/new" className={links.button}>
            {t.tables.create}
          </Link>
        )
      }
    >
      <Panel query={list} rows={4} empty={(items) => items.length === 0 && t.tables.none}>
        {(items) => (
          <table className={table.table}>
            <thead>
              <tr>
                <th scope="col">{t.tables.name}</th>
                <th scope="col" className={styles.wide}>
                  {t.tables.owner}
                </th>
                <th scope="col">{t.tables.parts.rows}</th>
                <th scope="col" className={styles.wide}>
                  {t.tables.parts.fields}
                </th>
                <th scope="col">{t.tables.state}</th>
              </tr>
            </thead>
            <tbody>
              {items.map((each) => (
                <Row key={each.id} table={each} />
              ))}
            </tbody>
          </table>
        )}
      </Panel>
    </Page>
  )
}

function Row({ table: { id, name, owner_scope, row_count, fields, state } }: { table: CustomTable }) {
  const t = useTexts()
  const formats = useFormats()
  return (
    <tr className={rowLink.row}>
      <td>
        <Link to="/tables/$id/rows" params={{ id }} className={rowLink.link}>
          <TenantText text={name} />
        </Link>
      </td>
      <td className={styles.wide}>{t.environments.owners[owner_scope]}</td>
      <td className={table.number}>{formats.number(row_count)}</td>
      <td className={`${styles.wide} ${table.number}`}>{formats.number(fields.length)}</td>
      <td>
        <StateBadge machine="custom_table" state={state} />
      </td>
    </tr>
  )
}
