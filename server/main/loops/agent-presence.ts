import type { HostPort } from '../../../agent/port/host.ts'
import type { Log } from '../../base/logging.ts'
import type { MachineLease } from '../../work/machine-lease.ts'
import { startTicker, type Ticker } from '../../work/ticker.ts'

const everyMs = 5000

/** The loop that records that the host agent answers. The API may not reach the agent; its readiness check reads the record. */
export const startAgentPresence = ({
  executor,
  lease,
  log,
}: {
  executor: Pick<HostPort, 'capacity'>
  lease: Pick<MachineLease, 'recordAgentSeen'>
  log: Log
}): Ticker =>
  startTicker({
    name: 'host agent',
    tick: async () => {
      const answers = await executor.capacity().then(
        () => true,
        () => false,
      )
      if (answers) await lease.recordAgentSeen()
    },
    intervalMs: everyMs,
    log,
  })
