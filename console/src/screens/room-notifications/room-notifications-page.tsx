import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import { api, connection } from '../../data/api.ts'
import { apiQuery } from '../../data/queries.ts'
import { ownRooms } from '../../data/rooms.ts'
import { useStore } from '../../data/store.ts'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { RoomTabs } from '../rooms/room-tabs.tsx'
import styles from './room-notifications.module.css'

/** The switch for messages in a room about its runs, for its manager. */
export function RoomNotificationsPage() {
  const t = useTexts()
  const { cid } = useParams({ from: '/signed-in/chatrooms/$cid/manage/notifications' })
  const rooms = useQuery(ownRooms)
  const room = rooms.data?.find(({ id }) => id === cid)
  const name = room?.name ?? ''
  useTrail([
    { text: t.rooms.title, to: '/chatrooms' },
    { text: name, to: `/chatrooms/${cid}` },
  ])
  if (rooms.data && !room?.manages) return <NotFoundPage />
  const title = t.roomNotifications.title(name)
  return (
    <Page title={title} heading={<TenantText text={title} />}>
      <RoomTabs cid={cid} />
      <Panel query={rooms}>{() => <Announcements cid={cid} />}</Panel>
    </Page>
  )
}

function Announcements({ cid }: { cid: string }) {
  const t = useTexts()
  const queries = useQueryClient()
  const isUp = useStore(connection.state).isUp
  const of = apiQuery(allRoutes.readRoomNotifications, { params: { cid } })
  const settings = useQuery(of)
  const change = useMutation({
    mutationFn: (announces_runs: boolean) =>
      api.call(allRoutes.updateRoomNotifications, { params: { cid }, body: { announces_runs } }),
    onSuccess: (stored) => queries.setQueryData(of.queryKey, stored),
  })
  return (
    <Panel query={settings} rows={1}>
      {({ announces_runs }) => (
        <div className={styles.part}>
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={announces_runs}
              disabled={!isUp || change.isPending}
              onChange={(event) => change.mutate(event.target.checked)}
            />
            {t.roomNotifications.announces}
          </label>
          <p className={styles.help}>{t.roomNotifications.why}</p>
          {change.error && <ErrorBox error={change.error} />}
        </div>
      )}
    </Panel>
  )
}
