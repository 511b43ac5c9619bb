import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { idPattern } from '@sandbox-jobs/contract/ids.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError } from '../failure.ts'
import type { Session } from '../session/session.ts'
import { allPages } from './all-pages.ts'
import { pickNamed } from './pick-named.ts'

const roomId = idPattern('chatroom')

/** Id of a room, given by id, or by the name of a room that the caller is a member of or manages. */
export async function findRoom({ client }: Session, wanted: string): Promise<string> {
  if (roomId.test(wanted)) return wanted
  try {
    const rooms = await allPages((query) => client.call(allRoutes.listOwnChatrooms, { query }))
    return pickNamed('room', wanted, rooms).id
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) throw namesNotReadable(wanted)
    throw error
  }
}

const namesNotReadable = (wanted: string) =>
  new CliError(`The room ${wanted} cannot be looked up: a sandbox-scope key cannot list rooms.`, {
    hint: 'Give the id of the room (roo_ and 32 digits); a person sees it with sandbox rooms.',
    code: 'cli_room_names',
  })
