import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, Nullable } from '../../schema.ts'
import { OwnChatroom } from '../companies/chatroom.ts'
import { ExtendedRun } from './extended-run.ts'

/** A room of the caller, and its activity. */
export const RoomOverview = Type.Object({
  ...OwnChatroom.properties,
  jobs: about('Tasks that are enabled in the room.', Count, 4),
  running: about('Runs that have been started and have not ended.', Count, 1),
  queued: about('Runs that wait.', Count, 0),
  last_run_at: about('When its newest run was queued; null if it has none.', Nullable(DateTime)),
})
export type RoomOverview = Static<typeof RoomOverview>

export const RoomOverviewList = listOf(RoomOverview)
export type RoomOverviewList = Static<typeof RoomOverviewList>

export const LastRun = Type.Object({
  run: about('The run; null if there is none.', Nullable(ExtendedRun)),
})
export type LastRun = Static<typeof LastRun>
