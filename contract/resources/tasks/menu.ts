import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { exampleDigest } from '../../digest.ts'
import { TaskId, TaskVersionId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { listOf } from '../../pagination.ts'
import { Nullable, Ordinal } from '../../schema.ts'
import { Scope } from '../companies/owner-scope.ts'
import { RuntimeContract } from '../environments/runtime-contract.ts'
import { SecretSlotStatus } from './secret-slot.ts'

/** A task that is granted to a room and enabled in it; equal for every caller (contract part 1, "Menu item"). */
export const MenuItem = Type.Object({
  task_id: TaskId,
  task_name: about('Name of the task.', Type.String(), 'Sales report'),
  task_description: about('Purpose of the task.', Type.String(), 'Totals by product for one month'),
  owner_scope: about('Kind of the owner of the task.', Scope, 'department'),
  owner_id: about('Identifier of the owner of the task.', Type.String(), exampleId('department')),
  task_version_id: about('The version to submit.', TaskVersionId),
  task_version_digest: about('Digest of exactly this version, for approvals.', Type.String(), exampleDigest),
  version_number: about('Number of the version, from 1.', Ordinal, 3),
  version_state: about('Only published versions are on the menu.', Type.Literal('published')),
  input_instructions: about(
    'Instructions for the input, for people and models; null without.',
    Nullable(Type.String()),
    'month: the month as YYYY-MM',
  ),
  input_example: about(
    'An input that works, as JSON text; null without.',
    Nullable(Type.String()),
    '{"month":"2026-10"}',
  ),
  input_schema: about(
    'JSON Schema of the input, as text; null without.',
    Nullable(Type.String()),
    '{"type":"object","required":["month"]}',
  ),
  secret_slot_names: about('Names of the secrets that the version declares.', Type.Array(Type.String()), [
    'API_TOKEN',
  ]),
  secret_slots: about('The same with who supplies them.', Type.Array(SecretSlotStatus)),
  timeout_seconds: about('Deadline of a run, in seconds from its start.', Type.Integer(), 1800),
  requires_confirmation: about('A person must confirm what an agent submits.', Type.Boolean(), false),
  update_available: about('A newer version is published.', Type.Boolean(), false),
  secret_use_risk_warning: about(
    'Warning for who supplies secrets to it; null if nobody does.',
    Nullable(Type.String()),
    null,
  ),
  runtime_contract: about(
    'Environment that its scripts find; always with the default driver.',
    Nullable(RuntimeContract),
  ),
  source_visible: about('The menu never shows scripts.', Type.Literal(false)),
})
export type MenuItem = Static<typeof MenuItem>

export const Menu = listOf(MenuItem)
export type Menu = Static<typeof Menu>
