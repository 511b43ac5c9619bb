import type { Session } from '@sandbox-jobs/contract/resources/sessions/session.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { me } from '../../data/person/me.ts'
import { useRoom } from '../../data/rooms/rooms.ts'
import { ownSessionsOf, readSessionsAgain, roomSessionsOf } from '../../data/rooms/sessions.ts'
import { Button } from '../../parts/button.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { NameDialog } from '../../parts/name-dialog.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { RoomScreen } from '../rooms/room-screen.tsx'
import { DeleteSession } from './delete-session.tsx'
import { SessionFacts } from './session-facts.tsx'

/** The sessions of the person in a room; for its managers also those of others. */
export function SessionsPage() {
  const t = useTexts().sessions
  const { cid } = useParams({ from: '/signed-in/chatrooms/$cid/sessions' })
  const own = useInfiniteQuery(ownSessionsOf(cid))
  const [isMaking, setIsMaking] = useState(false)
  const manages = useRoom(cid)?.manages === true
  return (
    <RoomScreen
      cid={cid}
      title={t.title}
      actions={
        <Button kind="filled" icon="plus" onPress={() => setIsMaking(true)}>
          {t.create}
        </Button>
      }
    >
      <p>{t.why}</p>
      <Panel query={own} empty={({ pages }) => pages[0]?.items.length === 0 && t.none}>
        {({ pages }) => (
          <>
            <ul className={rows.list}>
              {pages
                .flatMap(({ items }) => items)
                .map((session) => (
                  <Row key={session.id} session={session} isOwn />
                ))}
            </ul>
            <MoreButton query={own} />
          </>
        )}
      </Panel>
      {manages && <OfOthers cid={cid} />}
      {isMaking && <CreateDialog cid={cid} onClose={() => setIsMaking(false)} />}
    </RoomScreen>
  )
}

/** Their files stay with the person who created them. */
function OfOthers({ cid }: { cid: string }) {
  const t = useTexts().sessions
  const { data: account } = useQuery(me)
  const all = useInfiniteQuery(roomSessionsOf(cid))
  return (
    <section>
      <h2>{t.ofOthers}</h2>
      <Panel query={all}>
        {({ pages }) => {
          const others = pages
            .flatMap(({ items }) => items)
            .filter(({ created_by }) => created_by !== account?.principal_id)
          return (
            <>
              {others.length === 0 && !all.hasNextPage && <p>{t.noneOfOthers}</p>}
              <ul className={rows.list}>
                {others.map((session) => (
                  <Row key={session.id} session={session} isOwn={false} />
                ))}
              </ul>
              <MoreButton query={all} />
            </>
          )
        }}
      </Panel>
    </section>
  )
}

function Row({ session, isOwn }: { session: Session; isOwn: boolean }) {
  const t = useTexts().sessions
  const name = <TenantText text={session.name ?? t.unnamed} />
  return (
    <li>
      <div className={rows.words}>
        {isOwn ? (
          <Link
            to="/chatrooms/$cid/sessions/$sid"
            params={{ cid: session.chatroom_id, sid: session.id }}
            search={{}}
          >
            {name}
          </Link>
        ) : (
          <span>{name}</span>
        )}
        <SessionFacts session={session} showsOwner={!isOwn} />
      </div>
      <DeleteSession session={session} isOwn={isOwn} onDone={() => undefined} />
    </li>
  )
}

function CreateDialog({ cid, onClose }: { cid: string; onClose: () => void }) {
  const t = useTexts().sessions
  const queries = useQueryClient()
  const navigate = useNavigate()
  const create = useMutation({
    mutationFn: (name: string) => api.call(allRoutes.createSession, { params: { cid }, body: { name } }),
    onSuccess: async ({ id: sid }) => {
      await readSessionsAgain(queries)
      await navigate({ to: '/chatrooms/$cid/sessions/$sid', params: { cid, sid }, search: {} })
    },
  })
  return <NameDialog title={t.create} act={t.create} mutation={create} onClose={onClose} />
}
