import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Step, useTrail } from '../../app/trail.ts'
import { ownRooms } from '../../data/rooms/rooms.ts'
import { Page } from '../../parts/page.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { RoomTabs } from './room-tabs.tsx'

interface Props {
  cid: string
  title: (room: string) => string
  actions?: ReactNode
  /** The screen that leads to it, if that is not the room itself. It has no tabs then. */
  parent?: Step
  children: ReactNode
}

/** A screen of a room for everybody who is in it. */
export function RoomScreen({ cid, title, actions, parent, children }: Props) {
  const t = useTexts()
  const { data: rooms } = useQuery(ownRooms)
  const room = rooms?.find(({ id }) => id === cid)
  const name = room?.name ?? ''
  useTrail([
    { text: t.rooms.title, to: '/chatrooms' },
    { text: name, to: `/chatrooms/${cid}` },
    ...(parent ? [parent] : []),
  ])
  if (rooms && !room) return <NotFoundPage />
  return (
    <Page title={title(name)} actions={room && actions}>
      {!parent && <RoomTabs cid={cid} />}
      {children}
    </Page>
  )
}
