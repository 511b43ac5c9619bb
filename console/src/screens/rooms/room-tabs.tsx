import { Link } from '@tanstack/react-router'
import { useRoom } from '../../data/rooms/rooms.ts'
import { Tabs } from '../../parts/tabs.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** The parts of a room. Its managers have more of them. */
export function RoomTabs({ cid }: { cid: string }) {
  const t = useTexts()
  const room = useRoom(cid)
  if (!room) return null
  const params = { cid }
  return (
    <Tabs label={t.room.parts}>
      <Link to="/chatrooms/$cid" params={params} activeOptions={{ exact: true }}>
        {t.room.jobs}
      </Link>
      <Link to="/chatrooms/$cid/sessions" params={params}>
        {t.sessions.list}
      </Link>
      <Link to="/chatrooms/$cid/files" params={params}>
        {t.roomFiles.list}
      </Link>
      {room.manages && <ManagedTabs cid={cid} />}
    </Tabs>
  )
}

function ManagedTabs({ cid }: { cid: string }) {
  const t = useTexts()
  const params = { cid }
  return (
    <>
      <Link to="/chatrooms/$cid/quick-run" params={params}>
        {t.quickRun.list}
      </Link>
      <Link to="/chatrooms/$cid/manage/jobs" params={params}>
        {t.room.shared}
      </Link>
      <Link to="/chatrooms/$cid/manage/secrets" params={params}>
        {t.room.secrets}
      </Link>
      <Link to="/chatrooms/$cid/manage/doors" params={params}>
        {t.room.doors}
      </Link>
      <Link to="/chatrooms/$cid/manage/notifications" params={params}>
        {t.room.notifications}
      </Link>
      <Link to="/chatrooms/$cid/schedules" params={params}>
        {t.schedules.list}
      </Link>
    </>
  )
}
