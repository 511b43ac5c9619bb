import { Link } from '@tanstack/react-router'
import { useRoom } from '../../data/rooms/rooms.ts'
import { Tabs } from '../../parts/tabs.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** The parts of a room, for who manages it: others see its jobs alone. */
export function RoomTabs({ cid }: { cid: string }) {
  const t = useTexts()
  if (!useRoom(cid)?.manages) return null
  const params = { cid }
  return (
    <Tabs label={t.room.parts}>
      <Link to="/chatrooms/$cid" params={params} activeOptions={{ exact: true }}>
        {t.room.jobs}
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
    </Tabs>
  )
}
