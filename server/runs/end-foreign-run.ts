import type { ClaimedRun } from './claim-store.ts'
import type { DriveDeps, DriveSignals } from './drive-run.ts'
import { Detached, patiently } from './patience.ts'
import { failed } from './run-outcome.ts'

/**
 * Ends a run that another machine claimed and let its lease run out for. Only that machine's executor knows whether the
 * run was started, so here it can be neither waited for nor started again.
 */
export async function endForeignRun(
  { runs, log, pause }: DriveDeps,
  run: ClaimedRun,
  { detach }: DriveSignals,
): Promise<void> {
  const patience = { signal: detach, log: log.child({ run: run.id }), pause }
  const outcome = failed('host_lost', { detail: 'other_machine' })
  try {
    await patiently('finish', () => runs.finish(run, { outcome }), patience)
  } catch (error) {
    if (!(error instanceof Detached)) throw error
  }
}
