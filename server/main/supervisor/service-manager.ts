import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { systemClock } from '../../base/clock.ts'
import { hasServiceManager } from '../../base/config/config.ts'
import { say } from './terminal.ts'

const run = promisify(execFile)

/** Tells systemd, if it started the service by a unit of `Type=notify`, that the service is ready or stops. */
export async function tellServiceManager(state: 'READY=1' | 'STOPPING=1'): Promise<void> {
  if (!hasServiceManager()) return
  try {
    await run('systemd-notify', [state])
  } catch (error) {
    say('sandbox', `systemd was not told ${state}: ${error}`, systemClock.now())
  }
}
