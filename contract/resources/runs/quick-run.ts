import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { EnvironmentVersionId } from '../../identifiers.ts'
import { nameMaxLength, scriptMaxBytes } from '../../limits.ts'
import { PlainText, Strict, VisibleText } from '../../schema.ts'
import { RunSessionRequest } from '../sessions/session.ts'
import { Task } from '../tasks/task.ts'
import { OrdinaryEnv, TaskVersion, TimeoutSeconds } from '../tasks/task-version.ts'
import { RunDetail } from './run.ts'

/** Creates a hidden task, its published version and a run of it in one step (contract part 2, "Chatroom runs"). */
export const QuickRunRequest = Strict({
  name: about('Name of the hidden task.', VisibleText({ maxLength: nameMaxLength }), 'Count lines'),
  environment_version_id: EnvironmentVersionId,
  startup_script: about(
    'Script that is evaluated first, at most 1 MiB.',
    Type.Optional(PlainText({ maxLength: scriptMaxBytes })),
    'set -eu',
  ),
  work_script: about(
    'Script that does the work, at most 1 MiB.',
    Type.Optional(PlainText({ maxLength: scriptMaxBytes })),
    'wc -l < "$SERVICE_INPUTS_FILE" > "$SERVICE_OUTPUT_FILE"',
  ),
  ordinary_env: about('Environment variables that are not secret.', Type.Optional(OrdinaryEnv), {
    LANG: 'C.UTF-8',
  }),
  input: about('Any JSON, at most 1 MiB.', Type.Unknown(), { month: '2026-10' }),
  timeout_seconds: about('Deadline of the run, in seconds from its start.', TimeoutSeconds, 300),
})
export type QuickRunRequest = Static<typeof QuickRunRequest>

/** A quick run that may take a session (extension). */
export const SessionQuickRunRequest = Strict({
  ...QuickRunRequest.properties,
  session: about('A session of the caller in the room.', Type.Optional(RunSessionRequest)),
})
export type SessionQuickRunRequest = Static<typeof SessionQuickRunRequest>

export const QuickRun = Type.Object({
  task: about('The hidden task.', Task),
  version: about('Its published version.', TaskVersion),
  run: about('The queued run.', RunDetail),
})
export type QuickRun = Static<typeof QuickRun>
