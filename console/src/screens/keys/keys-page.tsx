import type { ApiKey } from '@sandbox-jobs/contract/resources/access/api-key.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { apiKeys } from '../../data/company/api-keys.ts'
import links from '../../parts/button.module.css'
import { DateTime } from '../../parts/date-time.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import rowLink from '../../parts/row-link.module.css'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { CompanyPage } from '../company/company-page.tsx'
import { FilteredList } from '../company/filtered-list.tsx'
import { KeyBadge } from './key-badge.tsx'

/** The keys of the company, with the time of their last use. */
export function KeysPage() {
  const t = useTexts()
  const list = useQuery(apiKeys)
  return (
    <CompanyPage
      part="keys"
      actions={
        <Link to="/company/keys/new" className={links.button}>
          {t.apiKeys.create}
        </Link>
      }
    >
      <Panel query={list} rows={4} empty={(all) => all.length === 0 && t.apiKeys.none}>
        {(all) => (
          <FilteredList items={all} textOf={({ name }) => name}>
            {(shown) => <KeyTable keys={shown} />}
          </FilteredList>
        )}
      </Panel>
    </CompanyPage>
  )
}

function KeyTable({ keys }: { keys: readonly ApiKey[] }) {
  const t = useTexts()
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th scope="col">{t.company.name}</th>
          <th scope="col">{t.people.state}</th>
          <th scope="col" className={styles.wide}>
            {t.apiKeys.rights}
          </th>
          <th scope="col">{t.apiKeys.lastUsed}</th>
          <th scope="col" className={styles.wide}>
            {t.apiKeys.expires}
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id} className={rowLink.row}>
            <td>
              <Link to="/company/keys/$id" params={{ id: key.id }} className={rowLink.link}>
                <TenantText text={key.name} />
              </Link>
            </td>
            <td>
              <KeyBadge apiKey={key} />
            </td>
            <td className={styles.wide}>
              {key.scope === 'full' ? t.apiKeys.full : t.apiKeys.rooms(key.allowed_chatroom_ids.length)}
            </td>
            <td className={table.number}>
              {key.last_used_at === null ? t.apiKeys.never : <Moment at={key.last_used_at} />}
            </td>
            <td className={`${styles.wide} ${table.number}`}>
              {key.expires_at === null ? t.apiKeys.never : <DateTime at={key.expires_at} />}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
