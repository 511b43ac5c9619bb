import type { Webhook } from '@sandbox-jobs/contract/resources/notifications/webhook.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { webhookOf } from '../../data/company/webhooks.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { useCompanyTrail } from '../company/use-company-trail.ts'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { Deliveries } from './deliveries.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookBadge } from './webhook-badge.tsx'

/** A webhook with its deliveries. */
export function WebhookPage() {
  const { wid } = useParams({ from: '/signed-in/company/webhooks/$wid' })
  const webhook = useQuery(webhookOf(wid))
  useCompanyTrail('webhooks')
  if (isNotFound(webhook.error)) return <NotFoundPage />
  const url = webhook.data?.url ?? ''
  return (
    <Page title={url}>
      <Panel query={webhook}>
        {(shown) => (
          <>
            <WebhookFacts webhook={shown} />
            <WebhookActions webhook={shown} />
            <Deliveries wid={wid} />
          </>
        )}
      </Panel>
    </Page>
  )
}

function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const t = useTexts()
  const formats = useFormats()
  const { description, events, failing_since: failing, paused_at: paused, dropped } = webhook
  return (
    <Facts>
      <Fact name={t.people.state}>
        <WebhookBadge webhook={webhook} />
      </Fact>
      <Fact name={t.webhooks.pausedAt}>{paused !== null && <Moment at={paused} />}</Fact>
      <Fact name={t.webhooks.failingSince}>{failing !== null && <Moment at={failing} />}</Fact>
      <Fact name={t.environments.description}>{description !== '' && <TenantText text={description} />}</Fact>
      <Fact name={t.webhooks.events}>{events.length === 0 ? t.webhooks.allEvents : events.join(', ')}</Fact>
      <Fact name={t.webhooks.dropped}>{dropped > 0 && formats.number(dropped)}</Fact>
      <Fact name={t.company.since}>
        <Moment at={webhook.created_at} />
      </Fact>
      <Fact name={t.company.id}>
        <IdText id={webhook.id} />
      </Fact>
    </Facts>
  )
}
