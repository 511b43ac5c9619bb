import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTrail } from '../../app/trail.ts'
import { roomCommandsOf } from '../../data/rooms/commands.ts'
import { useRoom } from '../../data/rooms/rooms.ts'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { CommandCall } from './command-call.tsx'

/** A command that the people of a room may use: its form and its answer. */
export function RoomCommandPage() {
  const t = useTexts()
  const { cid, command: id } = useParams({ from: '/signed-in/chatrooms/$cid/commands/$command' })
  const commands = useQuery(roomCommandsOf(cid))
  const room = useRoom(cid)?.name ?? ''
  useTrail([
    { text: t.rooms.title, to: '/chatrooms' },
    { text: room, to: `/chatrooms/${cid}` },
  ])
  const command = commands.data?.find((each) => each.id === id)
  if (isNotFound(commands.error) || (commands.data && !command)) return <NotFoundPage />
  const { name = '', description = '' } = command ?? {}
  return (
    <Page title={name} detail={description !== '' && <TenantText text={description} />}>
      <Panel query={commands} rows={6}>
        {() => command && <CommandCall key={command.revision} cid={cid} command={command} />}
      </Panel>
    </Page>
  )
}
