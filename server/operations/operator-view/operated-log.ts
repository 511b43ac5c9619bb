import {
  type LoggedService,
  type LogLevel,
  loggedServices,
  type ServiceLog,
} from '@sandbox-jobs/contract/operator/service-log.ts'
import type { LogLine } from '../logs/log-line.ts'
import { newestLines } from '../logs/newest-lines.ts'
import { publicLine } from '../logs/public-line.ts'

export interface LogWanted {
  service?: LoggedService | undefined
  level?: LogLevel | undefined
  /** Part of what is shown of a line. */
  text?: string | undefined
}

const linesMax = 300
/** Of each process: bounds the work of an answer to 4 MiB of all together. */
const searchedMax = 512 * 1024

/** The newest lines of the logs in `folder`, without what a tenant may have written. */
export async function readServiceLog(
  folder: string,
  { service, level = 'info', text = '' }: LogWanted,
): Promise<ServiceLog> {
  const wanted = text.toLowerCase()
  const isFound = (line: LogLine) => wanted === '' || wordsOf(line).toLowerCase().includes(wanted)
  const services = service === undefined ? loggedServices : [service]
  const lines = await newestLines(folder, { services, level, limit: linesMax, isFound, searchedMax })
  return {
    items: lines.toReversed().map((line) => {
      const { at, ...shown } = publicLine(line)
      return { ...shown, at: at?.toISOString() ?? null }
    }),
  }
}

/** A search of more would tell whether a text is in what is not shown. */
function wordsOf(line: LogLine): string {
  const { text, fields } = publicLine(line)
  return [text, ...Object.values(fields)].join(' ')
}
