import { systemClock } from '../../base/clock.ts'
import { tidyAfterStart } from './host/tidy-after-start.ts'
import { type ExitCode, exitCodes } from './service-problem.ts'
import type { Supervisor } from './supervisor.ts'
import { say } from './terminal.ts'

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/**
 * Runs the service until SIGTERM or SIGINT and then drains it; a second signal kills the rest. Resolves with the exit
 * code; rejects with the reason why a part could not start.
 */
export async function untilSignal(supervisor: Supervisor, whenReady: () => void): Promise<ExitCode> {
  let signals = 0
  const stopRequest = Promise.withResolvers<void>()
  const onSignal = () => {
    signals += 1
    if (signals === 1) say('sandbox', 'stopping; once more to stop at once', systemClock.now())
    else supervisor.kill()
    stopRequest.resolve()
  }
  for (const name of stopSignals) process.on(name, onSignal)
  // A closed terminal accepts no more lines; the log files still do.
  process.stdout.on('error', () => {})
  try {
    const started = supervisor.start()
    await Promise.race([started, stopRequest.promise])
    if (signals === 0) {
      whenReady()
      tidyAfterStart()
    }
    await stopRequest.promise
    await supervisor.stop()
    await started
    say('sandbox', 'stopped', systemClock.now())
    return signals > 1 ? exitCodes.failed : exitCodes.stopped
  } finally {
    for (const name of stopSignals) process.off(name, onSignal)
  }
}
