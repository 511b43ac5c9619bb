import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { nameMaxLength, scriptMaxBytes } from '../../limits.ts'
import { PlainText, Strict, VisibleText } from '../../schema.ts'
import { Task } from '../tasks/task.ts'
import { OrdinaryEnv, TaskVersion, TimeoutSeconds } from '../tasks/task-version.ts'
import { RunDetail } from './run.ts'

/** Creates a hidden task, its published version and a run of it in one step (contract part 2, "Chatroom runs"). */
export const QuickRunRequest = Strict({
  name: VisibleText({ maxLength: nameMaxLength }),
  environment_version_id: Identifier,
  startup_script: Type.Optional(PlainText({ maxLength: scriptMaxBytes })),
  work_script: Type.Optional(PlainText({ maxLength: scriptMaxBytes })),
  ordinary_env: Type.Optional(OrdinaryEnv),
  input: Type.Unknown(),
  timeout_seconds: TimeoutSeconds,
})
export type QuickRunRequest = Static<typeof QuickRunRequest>

export const QuickRun = Type.Object({ task: Task, version: TaskVersion, run: RunDetail })
export type QuickRun = Static<typeof QuickRun>
