import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { exampleId } from '../../ids.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable } from '../../schema.ts'

/** One time of a schedule that has come: it started one run, or none for a reason. */
export const ScheduleTick = Type.Object({
  due_at: about('Time of the tick.', DateTime),
  run_id: about('The run that it started; null if none.', Nullable(Type.String()), exampleId('run')),
  skipped_because: about(
    'Why it started no run: `missed` (the service could not start it in time), `previous_run_active`, `too_many_failures`, `authority_revoked`, `restored_from_backup`, or the code that refuses a submission. Null if it started one.',
    Nullable(Type.String()),
    null,
  ),
  handled_at: about('When the run was queued, or the tick skipped.', DateTime),
})
export type ScheduleTick = Static<typeof ScheduleTick>

export const ScheduleTickList = listOf(ScheduleTick)
export type ScheduleTickList = Static<typeof ScheduleTickList>
