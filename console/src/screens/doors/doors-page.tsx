import type { DoorWithKey } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { doorsOf } from '../../data/rooms/doors.ts'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { useTexts } from '../../texts/texts.tsx'
import { ManagedRoomPage } from '../rooms/managed-room-page.tsx'
import { DoorDialog } from './door-dialog.tsx'
import { DoorRow } from './door-row.tsx'
import styles from './doors.module.css'
import { KeyDialog } from './key-dialog.tsx'

/** The addresses of a room for the code tools of platforms, for its manager. */
export function DoorsPage() {
  const t = useTexts()
  const { cid } = useParams({ from: '/signed-in/chatrooms/$cid/manage/doors' })
  const queries = useQueryClient()
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<DoorWithKey>()
  return (
    <ManagedRoomPage
      cid={cid}
      title={t.doors.title}
      actions={
        <Button kind="filled" icon="plus" onPress={() => setIsMaking(true)}>
          {t.doors.create}
        </Button>
      }
    >
      {() => (
        <>
          <Doors cid={cid} />
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
        </>
      )}
    </ManagedRoomPage>
  )
}

function Doors({ cid }: { cid: string }) {
  const t = useTexts()
  const doors = useQuery(doorsOf(cid))
  return (
    <>
      <p>{t.doors.why}</p>
      <Panel query={doors} rows={4} empty={({ items }) => items.length === 0 && t.doors.none}>
        {({ items }) => (
          <ul className={`${rows.list} ${styles.list}`}>
            {items.map((door) => (
              <DoorRow key={door.id} door={door} />
            ))}
          </ul>
        )}
      </Panel>
    </>
  )
}
