import type { WebhookDelivery } from '@sandbox-jobs/contract/resources/notifications/webhook.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../data/api/api.ts'
import { deliveriesOf, readWebhooksAgain } from '../../data/company/webhooks.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Panel } from '../../parts/panel.tsx'
import table from '../../parts/table.module.css'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'

const looks = {
  waiting: { tone: 'soft', icon: 'clock' },
  delivered: { tone: 'success', icon: 'done' },
  failed: { tone: 'danger', icon: 'failed' },
} as const

/** The events of a webhook: those that wait, and the newest that ended. */
export function Deliveries({ wid }: { wid: string }) {
  const t = useTexts()
  const queries = useQueryClient()
  const list = useInfiniteQuery(deliveriesOf(wid))
  const again = useMutation({
    mutationFn: (did: string) => api.call(allRoutes.redeliver, { params: { wid, did } }),
    onSuccess: () => readWebhooksAgain(queries),
  })
  return (
    <section className={styles.part}>
      <div className={styles.acts}>
        <h2>{t.webhooks.deliveries}</h2>
        <Button icon="retry" isBusy={list.isRefetching} onPress={() => void list.refetch()}>
          {t.webhooks.readAgain}
        </Button>
      </div>
      {again.error && <ErrorBox error={again.error} />}
      <Panel query={list} empty={({ pages }) => pages[0]?.items.length === 0 && t.webhooks.noDeliveries}>
        {({ pages }) => (
          <>
            <table className={table.table}>
              <thead>
                <tr>
                  <th scope="col">{t.people.state}</th>
                  <th scope="col">{t.webhooks.event}</th>
                  <th scope="col" className={styles.wide}>
                    {t.webhooks.tries}
                  </th>
                  <th scope="col" className={styles.wide}>
                    {t.webhooks.answer}
                  </th>
                  <th scope="col" className={styles.wide}>
                    {t.webhooks.at}
                  </th>
                  <th scope="col">
                    <span className="hidden">{t.webhooks.again}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {pages
                  .flatMap(({ items }) => items)
                  .map((delivery) => (
                    <Row
                      key={delivery.id}
                      delivery={delivery}
                      isBusy={again.isPending}
                      onAgain={() => again.mutate(delivery.id)}
                    />
                  ))}
              </tbody>
            </table>
            <MoreButton query={list} />
          </>
        )}
      </Panel>
    </section>
  )
}

interface Props {
  delivery: WebhookDelivery
  isBusy: boolean
  onAgain: () => void
}

function Row({ delivery, isBusy, onAgain }: Props) {
  const t = useTexts()
  const formats = useFormats()
  const { state, event, last_status: status, last_error: error } = delivery
  return (
    <tr>
      <td>
        <Badge {...looks[state]}>{t.webhooks.states[state]}</Badge>
      </td>
      <td>
        <code>{event}</code>
      </td>
      <td className={`${styles.wide} ${table.number}`}>{formats.number(delivery.attempts)}</td>
      <td className={styles.wide}>
        <code>{[status, error].filter((each) => each !== null).join(' ')}</code>
      </td>
      <td className={`${styles.wide} ${table.number}`}>
        <Moment at={delivery.last_attempt_at ?? delivery.created_at} />
      </td>
      <td>
        {state !== 'waiting' && (
          <Button icon="retry" isBusy={isBusy} onPress={onAgain}>
            {t.webhooks.again}
          </Button>
        )}
      </td>
    </tr>
  )
}
