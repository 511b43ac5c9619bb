import type { OwnChatroom } from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { apiAll } from '../api/queries.ts'
import { isStreamUp } from '../live/held-stream.ts'

const overviewMs = 10_000

/** All rooms of the person, which every screen names. */
export const ownRooms = apiAll(allRoutes.listOwnChatrooms, {})

/** The same with what goes on in them. */
export const roomOverviews = {
  ...apiAll(allRoutes.listRoomOverviews, {}),
  refetchInterval: () => !isStreamUp.get() && overviewMs,
}

/** The room, once it is known. */
export const useRoom = (cid: string): OwnChatroom | undefined =>
  useQuery({ ...ownRooms, select: (rooms) => rooms.find((room) => room.id === cid) }).data
