import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, DepartmentId } from '../../identifiers.ts'
import { DateTime, Nullable, OneOf, Strict } from '../../schema.ts'

/** Job types that a chatroom can load for its agent (contract part 1, "Other enumerations"). */
export const chatroomJobTypes = ['sandbox'] as const

const Jobs = Nullable(
  Type.Array(OneOf(chatroomJobTypes), { maxItems: chatroomJobTypes.length, uniqueItems: true }),
)

/** Null: the platform chooses; an empty list: none. */
export const ChatroomJobsUpdate = Strict({
  jobs: about("Jobs that the room's agent loads; null: the platform decides; empty: none.", Jobs, [
    'sandbox',
  ]),
})
export type ChatroomJobsUpdate = Static<typeof ChatroomJobsUpdate>

export const ChatroomJobs = Type.Object({
  chatroom_id: ChatroomId,
  jobs: about("Jobs that the room's agent loads; null: the platform decides; empty: none.", Jobs, [
    'sandbox',
  ]),
  updated_at: about('When it was last set; null if it never was.', Nullable(DateTime)),
})
export type ChatroomJobs = Static<typeof ChatroomJobs>

/** A room that has enabled a job by name. */
export const JobChatroom = Type.Object({
  ...ChatroomJobs.properties,
  name: about('Name of the room.', Type.String(), 'Sales'),
  department_id: DepartmentId,
})
export type JobChatroom = Static<typeof JobChatroom>

/** A plain array; the rooms use offset pagination. */
export const JobChatroomList = Type.Array(JobChatroom)
export type JobChatroomList = Static<typeof JobChatroomList>
