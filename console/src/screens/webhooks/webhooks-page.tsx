import type { Webhook } from '@sandbox-jobs/contract/resources/notifications/webhook.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { webhooks } from '../../data/company/webhooks.ts'
import links from '../../parts/button.module.css'
import { Panel } from '../../parts/panel.tsx'
import rowLink from '../../parts/row-link.module.css'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { CompanyPage } from '../company/company-page.tsx'
import { WebhookBadge } from './webhook-badge.tsx'

/** The addresses to which events of the company are posted. */
export function WebhooksPage() {
  const t = useTexts()
  const list = useQuery(webhooks)
  return (
    <CompanyPage
      part="webhooks"
      actions={
        <Link to="/company/webhooks/new" className={links.button}>
          {t.webhooks.create}
        </Link>
      }
    >
      <Panel query={list} empty={({ items }) => items.length === 0 && t.webhooks.none}>
        {({ items }) => (
          <table className={table.table}>
            <thead>
              <tr>
                <th scope="col">{t.webhooks.url}</th>
                <th scope="col">{t.people.state}</th>
                <th scope="col" className={styles.wide}>
                  {t.webhooks.events}
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((webhook) => (
                <Row key={webhook.id} webhook={webhook} />
              ))}
            </tbody>
          </table>
        )}
      </Panel>
    </CompanyPage>
  )
}

function Row({ webhook }: { webhook: Webhook }) {
  const t = useTexts()
  const { id, url, description, events } = webhook
  return (
    <tr className={rowLink.row}>
      <td>
        <Link to="/company/webhooks/$wid" params={{ wid: id }} className={rowLink.link}>
          <TenantText text={url} />
        </Link>
        {description !== '' && (
          <p className={styles.help}>
            <TenantText text={description} />
          </p>
        )}
      </td>
      <td>
        <WebhookBadge webhook={webhook} />
      </td>
      <td className={styles.wide}>{events.length === 0 ? t.webhooks.allEvents : events.join(', ')}</td>
    </tr>
  )
}
