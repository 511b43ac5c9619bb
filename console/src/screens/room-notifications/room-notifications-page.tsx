import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { api, connection } from '../../data/api/api.ts'
import { apiQuery } from '../../data/api/queries.ts'
import { useStore } from '../../data/store.ts'
import { CheckBox } from '../../parts/check-box.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ManagedRoomPage } from '../rooms/managed-room-page.tsx'
import styles from './room-notifications.module.css'

/** The switch for messages in a room about its runs, for its manager. */
export function RoomNotificationsPage() {
  const t = useTexts()
  const { cid } = useParams({ from: '/signed-in/chatrooms/$cid/manage/notifications' })
  return (
    <ManagedRoomPage cid={cid} title={t.roomNotifications.title}>
      {() => <Announcements cid={cid} />}
    </ManagedRoomPage>
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
          <CheckBox
            isChecked={announces_runs}
            isDisabled={!isUp || change.isPending}
            onCheck={(announces) => change.mutate(announces)}
          >
            {t.roomNotifications.announces}
          </CheckBox>
          <p className={styles.help}>{t.roomNotifications.why}</p>
          {change.error && <ErrorBox error={change.error} />}
        </div>
      )}
    </Panel>
  )
}
