import { idPattern } from '@sandbox-jobs/contract/ids.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Session } from '../session/session.ts'
import { allPages } from './all-pages.ts'
import { pickNamed } from './pick-named.ts'

const roomId = idPattern('chatroom')

/** Id of a room, given by id, or by the name of a room that the caller is a member of or manages. */
export async function findRoom({ client }: Session, wanted: string): Promise<string> {
  if (roomId.test(wanted)) return wanted
  const rooms = await allPages((query) => client.call(allRoutes.listOwnChatrooms, { query }))
  return pickNamed('room', wanted, rooms).id
}
