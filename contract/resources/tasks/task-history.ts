import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { Count, DateTime, Nullable, OneOf } from '../../schema.ts'
import { runStates } from '../../states/run-states.ts'
import { ResourceProfile } from '../environments/profile.ts'
import { SubmissionSource } from '../runs/run.ts'
import { RunMethod } from '../runs/visible-run.ts'

export const executorKinds = ['internal_user', 'external_user'] as const
export const ExecutorKind = OneOf(executorKinds)

/**
 * Source of a run: a person in a chatroom, an event in a department's custom table, or a person on an external
 * messaging channel.
 */
export const sourceKinds = ['chatroom', 'department', 'external_platform'] as const
export const SourceKind = OneOf(sourceKinds)

export const externalPlatforms = ['line', 'messenger', 'whatsapp', 'agent'] as const

/** One run in the history of a task (contract part 1, "Run"). */
export const TaskRunHistoryItem = Type.Object({
  id: Identifier,
  task_id: Identifier,
  task_version_id: Identifier,
  status: OneOf(runStates),
  queued_at: Nullable(DateTime),
  started_at: Nullable(DateTime),
  terminal_at: Nullable(DateTime),
  /** From start to end; null until both are known. */
  duration_seconds: Nullable(Type.Number({ minimum: 0 })),
  /** US dollars as a decimal number; null until the cost is settled. */
  cost_usd: Nullable(Type.String({ pattern: '^[0-9]+(\\.[0-9]+)?$' })),
  executor_kind: ExecutorKind,
  executor_id: Type.String(),
  executor_display_name: Type.String(),
  source_kind: SourceKind,
  chatroom_id: Identifier,
  chatroom_name: Type.String(),
  /** The department the chatroom is in now. */
  department_id: Identifier,
  department_name: Type.String(),
  external_platform: Nullable(OneOf(externalPlatforms)),
  method: RunMethod,
  submission_source: SubmissionSource,
  resource_profile: ResourceProfile,
  error_code: Type.String(),
})
export type TaskRunHistoryItem = Static<typeof TaskRunHistoryItem>

/** A plain array; the history uses offset pagination. */
export const TaskRunHistory = Type.Array(TaskRunHistoryItem)
export type TaskRunHistory = Static<typeof TaskRunHistory>

/** Response of the count routes. */
export const ItemCount = Type.Object({ num: Count })
export type ItemCount = Static<typeof ItemCount>
