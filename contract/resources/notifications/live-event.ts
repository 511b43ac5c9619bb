import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { BuildId, ChatroomId, EnvironmentId, EnvironmentVersionId, RunId, TaskId } from '../../identifiers.ts'
import { Count, DateTime, Nullable, OneOf } from '../../schema.ts'
import { buildAttemptStates } from '../../states/build-attempt-states.ts'
import { runStates } from '../../states/run-states.ts'
import { BuildStage } from '../builds/build-stage.ts'

const kind = <const Kind extends string>(name: Kind, description: string) =>
  about(description, Type.Literal(name))

const RunChangeEvent = Type.Object({
  kind: kind(
    'run',
    'A run was submitted, or has another state. States that follow each other quickly are one event.',
  ),
  id: RunId,
  chatroom_id: ChatroomId,
  task_id: TaskId,
  status: about('The state that it has now.', OneOf(runStates), 'running'),
  error_code: about('Why it failed; empty if it did not.', Type.String(), ''),
  queued_at: about('When it was submitted.', DateTime),
  started_at: about('When the job started; null if it did not.', Nullable(DateTime)),
  terminal_at: about('When it ended; null until then.', Nullable(DateTime), null),
})
export type RunChangeEvent = Static<typeof RunChangeEvent>

const BuildChangeEvent = Type.Object({
  kind: kind('build', 'A build has another state, or another stage.'),
  id: BuildId,
  environment_id: EnvironmentId,
  environment_version_id: EnvironmentVersionId,
  status: about('The state that it has now.', OneOf(buildAttemptStates), 'building'),
  stage: about('The stage that it is in; `terminal` after the end.', BuildStage, 'customer_build'),
  stage_index: about('Number of the running stage, from 1; 0 while queued and at the end.', Count, 2),
  stage_count: about('Stages that the build has; 0 while queued and at the end.', Count, 9),
  stage_since: about('Since when the stage runs; after the end, when the build ended.', DateTime),
  error_code: about('Why it failed; empty if it did not.', Type.String(), ''),
})
export type BuildChangeEvent = Static<typeof BuildChangeEvent>

/** One event of what happens around the caller, the JSON of its `data` line. */
export const LiveEvent = Type.Union([
  Type.Object({
    kind: kind('resync', 'Events may be missing: whatever was read before this one may be out of date.'),
  }),
  Type.Object({
    kind: kind('service', 'The service, once at the start.'),
    enabled: about('False while the operator has stopped all changes.', Type.Boolean(), true),
    version: about('Version of the service.', Type.String(), '1.4.0'),
  }),
  RunChangeEvent,
  BuildChangeEvent,
  Type.Object({
    kind: kind('menu', 'What a room offers has changed, or which secrets it has: read its menu again.'),
    chatroom_id: about('The room; null: any room may be concerned.', Nullable(ChatroomId)),
  }),
  Type.Object({
    kind: kind('inbox', 'Items of the inbox of the caller may have come or gone.'),
  }),
  Type.Object({
    kind: kind('notification', 'The caller has a new notification, or has read one.'),
    unread: about('Notifications that are not read.', Count, 3),
  }),
  Type.Object({
    kind: kind(
      'replaced',
      'The same sign-in, key or person follows events elsewhere since: the stream ends.',
    ),
  }),
])
export type LiveEvent = Static<typeof LiveEvent>
