import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../../base/config/config.ts'
import { FollowedLines } from '../../../operations/logs/follow-lines.ts'
import type { LogLine } from '../../../operations/logs/log-line.ts'
import { type LinesWanted, newestLines } from '../../../operations/logs/newest-lines.ts'
import { refusalOf, refuse, type ServiceRefusal } from '../local-service.ts'

export type { LogLine } from '../../../operations/logs/log-line.ts'
export type { LinesWanted } from '../../../operations/logs/newest-lines.ts'

export interface ServiceLogs {
  newest: LogLine[]
  /** Lines that are written after those. */
  followed: FollowedLines
}

/** The logs of the processes of this machine. It needs neither API nor database. */
export async function serviceLogs(
  wanted: LinesWanted,
): Promise<{ ok: true; value: ServiceLogs } | ServiceRefusal> {
  try {
    const folder = join(readConfig().dataDir, 'logs')
    readdirSync(folder)
    const followed = new FollowedLines(folder, wanted)
    return { ok: true, value: { newest: await newestLines(folder, wanted, followed.starts), followed } }
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return isAbsent ? refuse('service', noService) : refusalOf(error)
  }
}

const noService = 'no service has run with this data folder: name its folder with SANDBOX_DATA'
