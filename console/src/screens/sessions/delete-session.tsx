import type { Session } from '@sandbox-jobs/contract/resources/sessions/session.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQueryClient } from '@tanstack/react-query'
import { api } from '../../data/api/api.ts'
import { readSessionsAgain } from '../../data/rooms/sessions.ts'
import { FinalAct } from '../../parts/final-act.tsx'
import { useTexts } from '../../texts/texts.tsx'

interface Props {
  session: Session
  isOwn: boolean
  onDone: () => unknown
}

/** Deletes a session with its files. */
export function DeleteSession({ session, isOwn, onDone }: Props) {
  const t = useTexts().sessions
  const queries = useQueryClient()
  const params = { cid: session.chatroom_id, sid: session.id }
  const route = isOwn ? allRoutes.deleteSession : allRoutes.deleteRoomSession
  return (
    <FinalAct
      icon="trash"
      label={t.deleteNamed(session.name ?? t.unnamed)}
      act={t.delete}
      title={t.deleteNamed(session.name ?? t.unnamed)}
      why={t.deleteWhy(session.file_count)}
      run={() => api.call(route, { params })}
      onDone={async () => {
        await onDone()
        await readSessionsAgain(queries)
      }}
    />
  )
}
