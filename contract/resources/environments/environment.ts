import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { descriptionMaxLength, nameMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Nullable, Omissible, OneOf, PlainText, Strict, VisibleText } from '../../schema.ts'
import { environmentStates, securityStates } from '../../states/catalog-states.ts'
import { OwnerScope, Scope } from '../companies/owner-scope.ts'

/** `company`: created by a tenant, independent of its owner scope. */
export const environmentOwnerKinds = ['system_curated', 'company'] as const

/** A tenant's or a curated environment (contract part 1, "Environment"). */
export const Environment = Type.Object({
  id: Identifier,
  /** Null for `system_curated`. */
  company_id: Nullable(Identifier),
  owner_kind: OneOf(environmentOwnerKinds),
  owner_scope: Scope,
  owner_id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  state: OneOf(environmentStates),
  /** `blocked`: the operator has blocked the image of the newest built version. */
  security_state: OneOf(securityStates),
  current_version_id: Nullable(Identifier),
})
export type Environment = Static<typeof Environment>

export const EnvironmentList = listOf(Environment)
export type EnvironmentList = Static<typeof EnvironmentList>

/** `owner_scope` defaults to `company`, and `owner_id` then to the caller's company. */
export const EnvironmentCreateRequest = Strict({
  name: VisibleText({ maxLength: nameMaxLength }),
  description: Type.Optional(PlainText({ maxLength: descriptionMaxLength })),
  owner_scope: Type.Optional(OwnerScope),
  owner_id: Omissible(Identifier),
})
export type EnvironmentCreateRequest = Static<typeof EnvironmentCreateRequest>

export const EnvironmentUpdateRequest = Strict({
  name: Type.Optional(VisibleText({ maxLength: nameMaxLength })),
  description: Type.Optional(PlainText({ maxLength: descriptionMaxLength })),
})
export type EnvironmentUpdateRequest = Static<typeof EnvironmentUpdateRequest>
