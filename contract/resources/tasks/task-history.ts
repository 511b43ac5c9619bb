import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, DepartmentId, RunId, TaskId, TaskVersionId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
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
  id: RunId,
  task_id: TaskId,
  task_version_id: TaskVersionId,
  status: about('Where the run is in its life.', OneOf(runStates), 'completed'),
  queued_at: about('When it was queued.', Nullable(DateTime)),
  started_at: about('When it started; null if it did not.', Nullable(DateTime)),
  terminal_at: about('When it ended; null until then.', Nullable(DateTime)),
  duration_seconds: about(
    'Seconds from start to end; null until both are known.',
    Nullable(Type.Number({ minimum: 0 })),
    12.4,
  ),
  cost_usd: about(
    'US dollars as a decimal number; null until the cost is settled.',
    Nullable(Type.String({ pattern: '^[0-9]+(\\.[0-9]+)?$' })),
    '0.000124',
  ),
  executor_kind: about(
    '`internal_user` of the company, or `external_user` of a messaging channel.',
    ExecutorKind,
  ),
  executor_id: about('Identifier of who ran it, by its kind.', Type.String(), exampleId('user')),
  executor_display_name: about('Name of who ran it.', Type.String(), 'Ada'),
  source_kind: about(
    'Where it came from: a room, a table of a department, or a messaging channel.',
    SourceKind,
  ),
  chatroom_id: ChatroomId,
  chatroom_name: about('Name of the room.', Type.String(), 'Sales'),
  department_id: about('Department that the room is in now.', DepartmentId),
  department_name: about('Name of the department.', Type.String(), 'Trade'),
  external_platform: about(
    'Messaging channel or agent that it came through; null for others.',
    Nullable(OneOf(externalPlatforms)),
    null,
  ),
  method: about('Submitted by a chat agent, or in any other way.', RunMethod, 'manual'),
  submission_source: about('How it was submitted; empty if unknown.', SubmissionSource, 'rest'),
  resource_profile: about('Processors, memory and disk of the run.', ResourceProfile),
  error_code: about('Code of the failure, such as `timeout`; empty without one.', Type.String(), ''),
})
export type TaskRunHistoryItem = Static<typeof TaskRunHistoryItem>

/** A plain array; the history uses offset pagination. */
export const TaskRunHistory = Type.Array(TaskRunHistoryItem)
export type TaskRunHistory = Static<typeof TaskRunHistory>

/** Response of the count routes. */
export const ItemCount = Type.Object({ num: about('How many there are.', Count, 12) })
export type ItemCount = Static<typeof ItemCount>
