import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { descriptionMaxLength, nameMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Nullable, OneOf, PlainText, Strict, VisibleText } from '../../schema.ts'
import { securityStates, taskStates } from '../../states/catalog-states.ts'
import { OwnerScope, Scope } from '../companies/owner-scope.ts'

/** A catalog task (contract part 1, "Task"). */
export const Task = Type.Object({
  id: Identifier,
  company_id: Identifier,
  owner_scope: Scope,
  owner_id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  /** Kept for older clients; it adds nothing to a menu. */
  agent_enabled: Type.Boolean(),
  state: OneOf(taskStates),
  security_state: OneOf(securityStates),
  current_published_version_id: Nullable(Identifier),
  current_draft_version_id: Nullable(Identifier),
})
export type Task = Static<typeof Task>

export const TaskList = listOf(Task)
export type TaskList = Static<typeof TaskList>

export const TaskCreateRequest = Strict({
  name: VisibleText({ maxLength: nameMaxLength }),
  description: Type.Optional(PlainText({ maxLength: descriptionMaxLength })),
  owner_scope: OwnerScope,
  owner_id: Identifier,
  agent_enabled: Type.Optional(Type.Boolean()),
})
export type TaskCreateRequest = Static<typeof TaskCreateRequest>

/** At least one field, else `no_fields`. */
export const TaskUpdateRequest = Strict({
  name: Type.Optional(VisibleText({ maxLength: nameMaxLength })),
  description: Type.Optional(PlainText({ maxLength: descriptionMaxLength })),
  agent_enabled: Type.Optional(Type.Boolean()),
})
export type TaskUpdateRequest = Static<typeof TaskUpdateRequest>
