import { idPattern } from '@sandbox-jobs/contract/ids.ts'
import type { OwnChatroom } from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError, exitCodes } from '../failure.ts'
import { escapeControls } from '../output/escape-controls.ts'
import type { Session } from '../session/session.ts'
import { allPages } from './all-pages.ts'
import { pickNamed } from './pick-named.ts'

const roomId = idPattern('chatroom')
const roomsNamed = 5

/**
 * Id of a room, given by id, or by the name of a room that the caller is a member of or manages. Without either it is the
 * only room of the caller.
 */
export async function findRoom({ client }: Session, wanted: string | undefined): Promise<string> {
  if (wanted !== undefined && roomId.test(wanted)) return wanted
  const rooms = await allPages((query) => client.call(allRoutes.listOwnChatrooms, { query }))
  return wanted === undefined ? onlyRoom(rooms).id : pickNamed('room', wanted, rooms).id
}

function onlyRoom(rooms: OwnChatroom[]): OwnChatroom {
  const [only] = rooms
  if (only && rooms.length === 1) return only
  const names = rooms.slice(0, roomsNamed).map(({ name }) => escapeControls(name))
  const some = `${names.join(', ')}${rooms.length > roomsNamed ? ', …' : ''}`
  throw new CliError(
    only ? `You have ${rooms.length} rooms, and none is named.` : 'You are in no room, and manage none.',
    {
      hint: only
        ? `Name one with --room: ${some}.`
        : 'Ask an administrator of the company to add you to a room.',
      code: 'cli_usage',
      exitCode: exitCodes.usage,
    },
  )
}
