import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { BindingId, ChatroomId, TaskId, TaskVersionId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { pageTokenMaxLength } from '../../limits.ts'
import { Nullable, Omissible, Strict } from '../../schema.ts'
import { Scope } from '../companies/owner-scope.ts'
import { SecretSlotStatus } from './secret-slot.ts'

/** A task that is shared with a room, and whether the room has enabled it. */
export const GrantedJob = Type.Object({
  task_id: TaskId,
  task_name: about('Name of the task.', Type.String(), 'Sales report'),
  task_description: about('Purpose of the task.', Type.String(), 'Totals by product for one month'),
  owner_scope: about('Kind of the owner of the task.', Scope, 'department'),
  owner_id: about('Identifier of the owner of the task.', Type.String(), exampleId('department')),
  secret_slots: about(
    'Secrets of the pinned version if enabled, otherwise of the published one.',
    Type.Array(SecretSlotStatus),
  ),
  enabled: about('Whether the room has enabled it.', Type.Boolean(), true),
  binding_id: about('The binding; null if it is not enabled.', Nullable(BindingId)),
  pinned_task_version_id: about('The pinned version; null if it is not enabled.', Nullable(TaskVersionId)),
  current_published_version_id: about(
    'The newest published version; null if there is none.',
    Nullable(TaskVersionId),
  ),
  update_available: about('A newer version than the pinned one is published.', Type.Boolean(), false),
})
export type GrantedJob = Static<typeof GrantedJob>

/** Page size if the request has none; further items follow by `next_page_token`. */
export const grantedJobsOfPage = 1000
/** A page has fewer items where they would be larger than this together, as JSON, and one at least. */
export const grantedJobsMaxBytes = 4 * 1024 * 1024

export const GrantedJobList = Type.Object({
  items: about('Tasks on this page.', Type.Array(GrantedJob)),
  page_size: about(
    'Tasks that a page may have.',
    Type.Integer({ minimum: 1, maximum: grantedJobsOfPage }),
    1000,
  ),
  next_page_token: about(
    'Token of the next page; null on the last.',
    Nullable(Type.String({ maxLength: pageTokenMaxLength })),
    null,
  ),
  chatroom_id: ChatroomId,
})
export type GrantedJobList = Static<typeof GrantedJobList>

/** Without a version, the current published one is pinned. */
export const GrantedJobEnableRequest = Strict({
  task_version_id: about(
    'The version to pin; by default the newest published one.',
    Omissible(TaskVersionId),
  ),
})
export type GrantedJobEnableRequest = Static<typeof GrantedJobEnableRequest>
