import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { pageTokenMaxLength } from '../../limits.ts'
import { Nullable, Omissible, Strict } from '../../schema.ts'
import { Scope } from '../companies/owner-scope.ts'
import { SecretSlotStatus } from './secret-slot.ts'

/** A task that is shared with a room, and whether the room has enabled it. */
export const GrantedJob = Type.Object({
  task_id: Identifier,
  task_name: Type.String(),
  task_description: Type.String(),
  owner_scope: Scope,
  owner_id: Type.String(),
  /** Of the pinned version if enabled, otherwise of the current published one. */
  secret_slots: Type.Array(SecretSlotStatus),
  enabled: Type.Boolean(),
  binding_id: Nullable(Identifier),
  pinned_task_version_id: Nullable(Identifier),
  current_published_version_id: Nullable(Identifier),
  update_available: Type.Boolean(),
})
export type GrantedJob = Static<typeof GrantedJob>

/** Page size if the request has none; further items follow by `next_page_token`. */
export const grantedJobsOfPage = 1000

export const GrantedJobList = Type.Object({
  items: Type.Array(GrantedJob),
  page_size: Type.Integer({ minimum: 1, maximum: grantedJobsOfPage }),
  next_page_token: Nullable(Type.String({ maxLength: pageTokenMaxLength })),
  chatroom_id: Identifier,
})
export type GrantedJobList = Static<typeof GrantedJobList>

/** Without a version, the current published one is pinned. */
export const GrantedJobEnableRequest = Strict({ task_version_id: Omissible(Identifier) })
export type GrantedJobEnableRequest = Static<typeof GrantedJobEnableRequest>
