import { failed } from '../../model/run-outcome.ts'
import { isOutcome, type RunPart } from '../run-part.ts'
import { type OutputsRow, outputsColumns } from './outputs-statement.ts'
import type { RunOutputs } from './run-outputs.ts'

interface OutputsTools {
  /** Absent: runs of versions with an output policy end as `secrets_unavailable`. */
  outputs?: RunOutputs | undefined
}

/** The tables that the run may write to, by the output policy of its version. */
export const outputsPart: RunPart<OutputsRow, OutputsTools> = {
  name: 'outputs',
  columns: outputsColumns,
  prepare: async ({ outputs }, job, run) => {
    if (job.output_policy === null) return undefined
    if (!outputs) return failed('secrets_unavailable', { detail: 'callbacks_not_configured' })
    const callback = await outputs.access(run, job)
    if (!callback || isOutcome(callback)) return callback
    return { env: { callback }, masks: [callback.token], network: 'service' }
  },
}
