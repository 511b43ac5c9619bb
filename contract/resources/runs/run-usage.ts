import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { RunId } from '../../identifiers.ts'
import { Count, DateTime, Nullable } from '../../schema.ts'

const Measured = Nullable(Count)

/** Resources that a run used; null until it has ended, and if no sandbox was started for it. */
export const RunUsage = Type.Object({
  run_id: RunId,
  peak_memory_bytes: about(
    'Most memory used at once, in bytes; null if it was not measured.',
    Measured,
    73_400_320,
  ),
  memory_limit_bytes: about('Memory limit of the profile, in bytes.', Count, 1_342_177_280),
  cpu_ms: about('Processor time in milliseconds; null if it was not measured.', Measured, 812),
  ingress_bytes: about('Bytes received from the network.', Count, 18_220),
  egress_bytes: about('Bytes sent to the network.', Count, 4210),
  started_at: about('When the job started; null if it did not.', Nullable(DateTime)),
  terminal_at: about('When the run ended; null until then.', Nullable(DateTime)),
})
export type RunUsage = Static<typeof RunUsage>
