import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { CompanyId, DepartmentId, EnvironmentId, EnvironmentVersionId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { descriptionMaxLength, nameMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Nullable, Omissible, OneOf, PlainText, Strict, VisibleText } from '../../schema.ts'
import { environmentStates, securityStates } from '../../states/catalog-states.ts'
import { OwnerScope, Scope } from '../companies/owner-scope.ts'

/** `company`: created by a tenant, independent of its owner scope. */
export const environmentOwnerKinds = ['system_curated', 'company'] as const

/** A tenant's or a curated environment (contract part 1, "Environment"). */
export const Environment = Type.Object({
  id: EnvironmentId,
  company_id: about('Identifier of the company; null for `system_curated`.', Nullable(CompanyId)),
  owner_kind: about(
    '`company`: made by a tenant, whichever its owner. `system_curated`: made by the operator for all.',
    OneOf(environmentOwnerKinds),
    'company',
  ),
  owner_scope: about('Kind of the owner.', Scope, 'department'),
  owner_id: about('Identifier of the owner.', Type.String(), exampleId('department')),
  name: about('Name of the environment.', Type.String(), 'Report tools'),
  description: about('Its purpose; may be empty.', Type.String(), 'Python with pandas'),
  state: about('Where the environment is in its life.', OneOf(environmentStates)),
  security_state: about(
    '`blocked`: the operator has blocked the image of the newest built version.',
    OneOf(securityStates),
  ),
  current_version_id: about(
    'Newest version that is ready; null if there is none.',
    Nullable(EnvironmentVersionId),
  ),
})
export type Environment = Static<typeof Environment>

export const EnvironmentList = listOf(Environment)
export type EnvironmentList = Static<typeof EnvironmentList>

/** `owner_scope` defaults to `company`, and `owner_id` then to the caller's company. */
export const EnvironmentCreateRequest = Strict({
  name: about('Name of the environment.', VisibleText({ maxLength: nameMaxLength }), 'Report tools'),
  description: about(
    'Its purpose.',
    Type.Optional(PlainText({ maxLength: descriptionMaxLength })),
    'Python with pandas',
  ),
  owner_scope: about('Kind of the owner; by default `company`.', Type.Optional(OwnerScope)),
  owner_id: about(
    "Identifier of the owner; required for a department, by default the caller's company.",
    Omissible(DepartmentId),
  ),
})
export type EnvironmentCreateRequest = Static<typeof EnvironmentCreateRequest>

export const EnvironmentUpdateRequest = Strict({
  name: about('New name.', Type.Optional(VisibleText({ maxLength: nameMaxLength })), 'Report tools'),
  description: about(
    'Its purpose; may be empty.',
    Type.Optional(PlainText({ maxLength: descriptionMaxLength })),
    'Python with pandas',
  ),
})
export type EnvironmentUpdateRequest = Static<typeof EnvironmentUpdateRequest>
