import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { linesBackwards, openLog } from '../logs/lines-backwards.ts'
import { parseLogLine } from '../logs/log-line.ts'
import { publicLine } from '../logs/public-line.ts'
import type { Traced } from './traced.ts'

const fileName = /^(?<role>[a-z]+)\.log(\.\d)?$/

/** Lines of all log files that name an id: the newest of each file, `limit` at most. `publicLine` says what is shown of a line. */
export async function traceLogs(
  folder: string,
  id: string,
  limit: number,
): Promise<{ found: Traced[]; isCut: boolean }> {
  const found: Traced[] = []
  let isCut = false
  for (const name of readdirSync(folder)) {
    const role = fileName.exec(name)?.groups?.role
    if (role === undefined) continue
    const log = await openLog(join(folder, name))
    if (!log) continue
    let taken = 0
    for await (const line of linesBackwards(log, id)) {
      taken += 1
      isCut ||= taken > limit
      if (taken > limit) break
      const { at, text, fields } = publicLine(parseLogLine(role, line))
      found.push({ at, source: role, text, fields })
    }
  }
  return { found, isCut }
}
