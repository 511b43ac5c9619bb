import { join } from 'node:path'
import type { LogLevel } from '@sandbox-jobs/contract/operator/service-log.ts'
import { agentPaths } from '../../../../agent/host/paths.ts'
import { readConfig } from '../../../base/config/config.ts'
import { readLogLevel, writeLogLevel } from '../../../base/log-level.ts'
import { lockHolder } from '../../supervisor/host/instance-lock.ts'
import { type Outcome, refusalOf, refuse } from '../local-service.ts'

/**
 * The level that the running processes log at, after it was changed if one is given. It needs neither API nor database: they may be
 * the reason to look closer.
 */
export async function logLevel(wanted?: LogLevel): Outcome<LogLevel> {
  try {
    const { dataDir } = readConfig()
    const found = readLogLevel(dataDir)
    if (found === undefined || !(await isRunning(dataDir)))
      return refuse('service', `no service runs with the data folder ${dataDir}`)
    if (wanted !== undefined) writeLogLevel(dataDir, wanted)
    return { ok: true, value: wanted ?? found }
  } catch (error) {
    return refusalOf(error)
  }
}

/** Whether the whole service runs, or its worker or host agent alone. */
async function isRunning(dataDir: string): Promise<boolean> {
  const locks = [join(dataDir, 'service.lock'), join(dataDir, 'worker.lock'), agentPaths(dataDir).lock]
  const holders = await Promise.all(locks.map(lockHolder))
  return holders.some((holder) => holder !== undefined)
}
