import type { Notification } from '@sandbox-jobs/contract/resources/notifications/notification.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { api } from '../../data/api/api.ts'
import { notifications, readInboxAgain } from '../../data/person/inbox.ts'
import { screenOf } from '../../data/screen-of.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Moment } from '../../parts/moment.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { Tabs } from '../../parts/tabs.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './inbox.module.css'
import { InboxTabs } from './inbox-tabs.tsx'

/** The notifications of the person: those that are not read, or all. */
export function NotificationsPage() {
  const t = useTexts()
  const queries = useQueryClient()
  const { all = false } = useSearch({ from: '/signed-in/inbox/notifications' })
  const list = useInfiniteQuery(notifications({ isUnread: !all }))
  const read = useMutation({
    mutationFn: (nid: string) => api.call(allRoutes.readNotification, { params: { nid } }),
    onSuccess: () => readInboxAgain(queries),
  })
  const newest = list.data?.pages[0]?.items[0]
  const readAll = useMutation({
    mutationFn: (before: string) => api.call(allRoutes.readAllNotifications, { body: { before } }),
    onSuccess: () => readInboxAgain(queries),
  })
  const error = read.error ?? readAll.error
  const none = all ? t.inbox.noNotifications : t.inbox.noUnread
  return (
    <Page
      title={t.inbox.title}
      actions={
        newest &&
        !all && (
          <Button icon="check" isBusy={readAll.isPending} onPress={() => readAll.mutate(newest.created_at)}>
            {t.inbox.markAll}
          </Button>
        )
      }
    >
      <InboxTabs />
      <Tabs label={t.inbox.shown}>
        <Link
          to="/inbox/notifications"
          search={{}}
          activeOptions={{ exact: true, includeSearch: true }}
          replace
        >
          {t.inbox.unread}
        </Link>
        <Link to="/inbox/notifications" search={{ all: true }} replace>
          {t.inbox.all}
        </Link>
      </Tabs>
      {error && <ErrorBox error={error} />}
      <Panel query={list} rows={6} empty={({ pages }) => pages[0]?.items.length === 0 && none}>
        {({ pages }) => (
          <>
            <ul className={`${rows.list} ${styles.list}`}>
              {pages
                .flatMap(({ items }) => items)
                .map((notification) => (
                  <Row
                    key={notification.id}
                    notification={notification}
                    onRead={() => read.mutate(notification.id)}
                  />
                ))}
            </ul>
            <MoreButton query={list} />
          </>
        )}
      </Panel>
    </Page>
  )
}

function Row({ notification, onRead }: { notification: Notification; onRead: () => void }) {
  const t = useTexts()
  const screen = screenOf(notification.deep_link)
  const isUnread = notification.read_at === null
  const title = <TenantText text={notification.title} />
  return (
    <li data-unread={isUnread || undefined}>
      <div className={`${rows.words} ${styles.words}`}>
        {screen === undefined ? (
          <span>{title}</span>
        ) : (
          <Link to={screen} onClick={() => isUnread && onRead()}>
            {title}
          </Link>
        )}
        <span className={rows.detail}>
          <Moment at={notification.created_at} />
        </span>
      </div>
      {isUnread && (
        <Button icon="check" label={t.inbox.markNamed(notification.title)} onPress={onRead}>
          {t.inbox.mark}
        </Button>
      )}
    </li>
  )
}
