import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { listOf } from '../../pagination.ts'
import { Nullable, Ordinal } from '../../schema.ts'
import { Scope } from '../companies/owner-scope.ts'
import { RuntimeContract } from '../environments/runtime-contract.ts'
import { SecretSlotStatus } from './secret-slot.ts'

/** A task that is granted to a room and enabled in it; equal for every caller (contract part 1, "Menu item"). */
export const MenuItem = Type.Object({
  task_id: Identifier,
  task_name: Type.String(),
  task_description: Type.String(),
  owner_scope: Scope,
  owner_id: Type.String(),
  task_version_id: Identifier,
  task_version_digest: Type.String(),
  version_number: Ordinal,
  version_state: Type.Literal('published'),
  input_instructions: Nullable(Type.String()),
  input_example: Nullable(Type.String()),
  input_schema: Nullable(Type.String()),
  secret_slot_names: Type.Array(Type.String()),
  secret_slots: Type.Array(SecretSlotStatus),
  timeout_seconds: Type.Integer(),
  requires_confirmation: Type.Boolean(),
  update_available: Type.Boolean(),
  secret_use_risk_warning: Nullable(Type.String()),
  /** Always contains the default driver, also for an owner. */
  runtime_contract: Nullable(RuntimeContract),
  /** The menu never shows sources. */
  source_visible: Type.Literal(false),
})
export type MenuItem = Static<typeof MenuItem>

export const Menu = listOf(MenuItem)
export type Menu = Static<typeof Menu>
