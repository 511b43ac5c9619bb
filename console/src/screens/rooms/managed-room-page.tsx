import type { OwnChatroom } from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Step, useTrail } from '../../app/trail.ts'
import { ownRooms } from '../../data/rooms/rooms.ts'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { RoomTabs } from './room-tabs.tsx'

interface Props {
  cid: string
  title: (room: string) => string
  actions?: ReactNode
  /** The screen that leads to it, if that is not the room itself. It has no tabs then. */
  parent?: Step
  /** Drawn once the room is known, so its requests are those of a manager. */
  children: (room: OwnChatroom) => ReactNode
}

/** A screen of a room for its managers. It is not there for everybody else. */
export function ManagedRoomPage({ cid, title, actions, parent, children }: Props) {
  const t = useTexts()
  const rooms = useQuery(ownRooms)
  const room = rooms.data?.find(({ id }) => id === cid)
  const name = room?.name ?? ''
  useTrail([
    { text: t.rooms.title, to: '/chatrooms' },
    { text: name, to: `/chatrooms/${cid}` },
    ...(parent ? [parent] : []),
  ])
  if (rooms.data && !room?.manages) return <NotFoundPage />
  return (
    <Page title={title(name)} actions={room && actions}>
      {!parent && <RoomTabs cid={cid} />}
      <Panel query={rooms} rows={4}>
        {() => room && children(room)}
      </Panel>
    </Page>
  )
}
