import { useParams } from '@tanstack/react-router'
import { useTexts } from '../../texts/texts.tsx'
import { ManagedRoomPage } from '../rooms/managed-room-page.tsx'
import { QuickRunForm } from './quick-run-form.tsx'

/** A script that runs once in a room, without a task, for who manages it. */
export function QuickRunPage() {
  const t = useTexts().quickRun
  const { cid } = useParams({ from: '/signed-in/chatrooms/$cid/quick-run' })
  return (
    <ManagedRoomPage cid={cid} title={t.title}>
      {() => <QuickRunForm cid={cid} />}
    </ManagedRoomPage>
  )
}
