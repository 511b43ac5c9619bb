import type { DoorWithKey } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTrail } from '../../app/trail.ts'
import { doorsOf } from '../../data/doors.ts'
import { ownRooms } from '../../data/rooms.ts'
import { Button } from '../../parts/button.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { RoomTabs } from '../rooms/room-tabs.tsx'
import { DoorDialog } from './door-dialog.tsx'
import { DoorRow } from './door-row.tsx'
import styles from './doors.module.css'
import { KeyDialog } from './key-dialog.tsx'

/** The addresses of a room for the code tools of platforms, for its manager. */
export function DoorsPage() {
  const t = useTexts()
  const { cid } = useParams({ from: '/signed-in/chatrooms/$cid/manage/doors' })
  const queries = useQueryClient()
  const rooms = useQuery(ownRooms)
  const room = rooms.data?.find(({ id }) => id === cid)
  const doors = useQuery({ ...doorsOf(cid), enabled: room?.manages === true })
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<DoorWithKey>()
  const name = room?.name ?? ''
  useTrail([
    { text: t.rooms.title, to: '/chatrooms' },
    { text: name, to: `/chatrooms/${cid}` },
  ])
  if (rooms.data && !room?.manages) return <NotFoundPage />
  return (
    <Page
      title={t.doors.title(name)}
      heading={<TenantText text={t.doors.title(name)} />}
      actions={
        <Button kind="filled" icon="plus" onPress={() => setIsMaking(true)}>
          {t.doors.create}
        </Button>
      }
    >
      <RoomTabs cid={cid} />
      <p>{t.doors.why}</p>
      <Panel query={doors} rows={4} empty={({ items }) => items.length === 0 && t.doors.none}>
        {({ items }) => (
          <ul className={styles.list}>
            {items.map((door) => (
              <DoorRow key={door.id} door={door} />
            ))}
          </ul>
        )}
      </Panel>
      {isMaking && (
        <DoorDialog
          cid={cid}
          onClose={() => setIsMaking(false)}
          onMade={(door) => {
            void queries.invalidateQueries(doorsOf(cid))
            setIsMaking(false)
            setMade(door)
          }}
        />
      )}
      {made && <KeyDialog door={made} onClose={() => setMade(undefined)} />}
    </Page>
  )
}
