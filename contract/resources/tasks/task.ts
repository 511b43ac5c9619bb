import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { CompanyId, DepartmentId, TaskId, TaskVersionId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { descriptionMaxLength, nameMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Nullable, OneOf, PlainText, Strict, VisibleText } from '../../schema.ts'
import { securityStates, taskStates } from '../../states/catalog-states.ts'
import { OwnerScope, Scope } from '../companies/owner-scope.ts'

/** A catalog task (contract part 1, "Task"). */
export const Task = Type.Object({
  id: TaskId,
  company_id: CompanyId,
  owner_scope: about('Kind of the owner.', Scope, 'department'),
  owner_id: about('Identifier of the owner.', Type.String(), exampleId('department')),
  name: about('Name of the task.', Type.String(), 'Sales report'),
  description: about('Purpose of the task; may be empty.', Type.String(), 'Totals by product for one month'),
  agent_enabled: about('Kept for older clients; it puts nothing on a menu.', Type.Boolean(), false),
  state: about('Where the task is in its life.', OneOf(taskStates)),
  security_state: about('`blocked`: the operator has blocked it.', OneOf(securityStates)),
  current_published_version_id: about(
    'Newest published version; null if there is none.',
    Nullable(TaskVersionId),
  ),
  current_draft_version_id: about('Newest draft; null if there is none.', Nullable(TaskVersionId), null),
})
export type Task = Static<typeof Task>

export const TaskList = listOf(Task)
export type TaskList = Static<typeof TaskList>

export const TaskCreateRequest = Strict({
  name: about('Name of the task.', VisibleText({ maxLength: nameMaxLength }), 'Sales report'),
  description: about(
    'Purpose of the task.',
    Type.Optional(PlainText({ maxLength: descriptionMaxLength })),
    'Totals by product for one month',
  ),
  owner_scope: about('Kind of the owner.', OwnerScope),
  owner_id: about('Identifier of the owner.', DepartmentId),
  agent_enabled: about(
    'Kept for older clients; it puts nothing on a menu.',
    Type.Optional(Type.Boolean()),
    false,
  ),
})
export type TaskCreateRequest = Static<typeof TaskCreateRequest>

/** At least one field, else `no_fields`. */
export const TaskUpdateRequest = Strict({
  name: about('New name.', Type.Optional(VisibleText({ maxLength: nameMaxLength })), 'Sales report'),
  description: about(
    'Purpose of the task; may be empty.',
    Type.Optional(PlainText({ maxLength: descriptionMaxLength })),
    'Totals by product for one month',
  ),
  agent_enabled: about(
    'Kept for older clients; it puts nothing on a menu.',
    Type.Optional(Type.Boolean()),
    false,
  ),
})
export type TaskUpdateRequest = Static<typeof TaskUpdateRequest>
