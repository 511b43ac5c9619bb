import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { Count, DateTime, Nullable } from '../../schema.ts'

const Measured = Nullable(Count)

/** Resources that a run used; null until it has ended, and if no sandbox was started for it. */
export const RunUsage = Type.Object({
  run_id: Identifier,
  peak_memory_bytes: Measured,
  /** Memory limit of its profile. */
  memory_limit_bytes: Count,
  cpu_ms: Measured,
  ingress_bytes: Count,
  egress_bytes: Count,
  started_at: Nullable(DateTime),
  terminal_at: Nullable(DateTime),
})
export type RunUsage = Static<typeof RunUsage>
