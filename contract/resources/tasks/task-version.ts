import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import {
  inputExampleMaxLength,
  inputInstructionsMaxLength,
  scriptMaxBytes,
  timeoutMaxSeconds,
  timeoutMinSeconds,
} from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, Omissible, OneOf, Ordinal, PlainText, Strict } from '../../schema.ts'
import { taskVersionContentStates, taskVersionStates } from '../../states/catalog-states.ts'
import { RuntimeContract } from '../environments/runtime-contract.ts'
import { OutputPolicy } from '../runs/output-policy.ts'
import { SecretSlotDeclaration } from './secret-slot.ts'

export const TimeoutSeconds = Type.Integer({ minimum: timeoutMinSeconds, maximum: timeoutMaxSeconds })

/** Stored unchanged; names and sizes are checked when a run is claimed. */
export const OrdinaryEnv = Type.Record(Type.String(), Type.String())
export type OrdinaryEnv = Static<typeof OrdinaryEnv>

/** The schema counts characters; the server checks `scriptMaxBytes` in bytes of UTF-8. */
const Script = PlainText({ maxLength: scriptMaxBytes })

/**
 * A version of a task (contract part 1, "Task version"). If `source_visible` is false, the last seven fields are null
 * because they are hidden, not because they are empty.
 */
export const TaskVersion = Type.Object({
  id: Identifier,
  task_id: Identifier,
  company_id: Identifier,
  version_number: Ordinal,
  state: OneOf(taskVersionStates),
  content_state: OneOf(taskVersionContentStates),
  environment_version_id: Type.String(),
  /** Both are empty only if the pinned version no longer exists. */
  environment_id: Type.String(),
  environment_name: Type.String(),
  timeout_seconds: Type.Integer(),
  requires_confirmation: Type.Boolean(),
  secret_slot_names: Type.Array(Type.String()),
  canonical_digest: Type.String(),
  content_hash: Type.String(),
  published_at: Nullable(DateTime),
  archived_at: Nullable(DateTime),
  update_available: Type.Boolean(),
  input_instructions: Nullable(Type.String()),
  input_example: Nullable(Type.String()),
  input_schema: Nullable(Type.String()),
  runtime_contract: Nullable(RuntimeContract),
  source_visible: Type.Boolean(),
  startup_script: Nullable(Type.String()),
  work_script: Nullable(Type.String()),
  work_command: Nullable(Type.String()),
  ordinary_env: Nullable(OrdinaryEnv),
  /** May contain older forms of declarations and policies, unchanged. */
  secret_slot_declarations: Nullable(Type.Array(Type.Unknown())),
  output_policy: Nullable(Type.Unknown()),
  bundle_id: Nullable(Identifier),
})
export type TaskVersion = Static<typeof TaskVersion>

export const TaskVersionList = listOf(TaskVersion)
export type TaskVersionList = Static<typeof TaskVersionList>

/**
 * Fields of a draft. The server checks the byte length of `work_command` and `input_schema`, and refuses a NUL in
 * them or in `input_example` with `job_contract_invalid`. A script and its handle (`*_script_id`) exclude each other.
 */
const draftFields = {
  startup_script: Type.Optional(Script),
  work_script: Type.Optional(Script),
  startup_script_id: Omissible(Identifier),
  work_script_id: Omissible(Identifier),
  ordinary_env: Omissible(OrdinaryEnv),
  input_instructions: Omissible(PlainText({ maxLength: inputInstructionsMaxLength })),
  input_example: Omissible(Type.String({ maxLength: inputExampleMaxLength })),
  input_schema: Omissible(Type.String()),
  work_command: Omissible(Type.String()),
  timeout_seconds: Type.Optional(TimeoutSeconds),
  secret_slot_declarations: Omissible(Type.Array(SecretSlotDeclaration)),
  requires_confirmation: Type.Optional(Type.Boolean()),
  output_policy: Omissible(OutputPolicy),
  /** Handle of a bundle of this task. */
  bundle_id: Omissible(Identifier),
}

export const TaskVersionCreateRequest = Strict({ environment_version_id: Identifier, ...draftFields })
export type TaskVersionCreateRequest = Static<typeof TaskVersionCreateRequest>

/** Changes a draft. An omitted field stays unchanged; null clears a field that may be empty. */
export const TaskVersionUpdateRequest = Strict({
  environment_version_id: Type.Optional(Identifier),
  ...draftFields,
})
export type TaskVersionUpdateRequest = Static<typeof TaskVersionUpdateRequest>
