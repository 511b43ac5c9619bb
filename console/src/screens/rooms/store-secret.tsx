import { Link } from '@tanstack/react-router'
import { useRoom } from '../../data/rooms/rooms.ts'
import { useTexts } from '../../texts/texts.tsx'

/** The way to the secrets of a room, for who may store them. */
export function StoreSecret({ cid }: { cid: string }) {
  const t = useTexts()
  if (!useRoom(cid)?.manages) return null
  return (
    <Link to="/chatrooms/$cid/manage/secrets" params={{ cid }}>
      {t.room.storeSecret}
    </Link>
  )
}
