import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { DateTime, Nullable, OneOf, Strict } from '../../schema.ts'

/** Job types that a chatroom can load for its agent (contract part 1, "Other enumerations"). */
export const chatroomJobTypes = ['sandbox'] as const

const Jobs = Nullable(
  Type.Array(OneOf(chatroomJobTypes), { maxItems: chatroomJobTypes.length, uniqueItems: true }),
)

/** Null: the platform chooses; an empty list: none. */
export const ChatroomJobsUpdate = Strict({ jobs: Jobs })
export type ChatroomJobsUpdate = Static<typeof ChatroomJobsUpdate>

export const ChatroomJobs = Type.Object({
  chatroom_id: Identifier,
  jobs: Jobs,
  updated_at: Nullable(DateTime),
})
export type ChatroomJobs = Static<typeof ChatroomJobs>

/** A room that has enabled a job by name. */
export const JobChatroom = Type.Object({
  ...ChatroomJobs.properties,
  name: Type.String(),
  department_id: Identifier,
})
export type JobChatroom = Static<typeof JobChatroom>

/** A plain array; the rooms use offset pagination. */
export const JobChatroomList = Type.Array(JobChatroom)
export type JobChatroomList = Static<typeof JobChatroomList>
