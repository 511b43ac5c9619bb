import { join } from 'node:path'
import type { LoggedService, LogLevel } from '@sandbox-jobs/contract/operator/service-log.ts'
import { linesBackwards, openLog } from './lines-backwards.ts'
import { isAtLeast, type LogLine, parseLogLine } from './log-line.ts'

/** `builds` writes to the file of the worker. */
export const fileOf = (service: LoggedService): string => (service === 'builds' ? 'worker' : service)

export interface LinesWanted {
  services: readonly LoggedService[]
  /** The lowest level. */
  level: LogLevel
  since?: Date | undefined
  /** Of all services together. */
  limit: number
  /** Whether a line of these services and levels is wanted. */
  isFound?: (line: LogLine) => boolean
  /** Characters of the newest lines of a process, among which they are looked for. */
  searchedMax?: number
}

/** A byte of the present file of a role. */
export type Ends = ReadonlyMap<string, number>

/** Whether a line is one of those wanted, whatever its time. */
export const isWanted = ({ services, level, isFound }: LinesWanted, line: LogLine): boolean =>
  services.some((service) => service === line.service) &&
  isAtLeast(line.level, level) &&
  (isFound === undefined || isFound(line))

/**
 * The newest lines of the logs in `folder`, the oldest of them first, up to the bytes of `ends`. Files that do not exist have none.
 */
export async function newestLines(
  folder: string,
  wanted: LinesWanted,
  ends: Ends = new Map(),
): Promise<LogLine[]> {
  const found: LogLine[] = []
  for (const role of new Set(wanted.services.map(fileOf))) {
    const texts = textsBackwards(folder, role, ends.get(role))
    found.push(...(await newestOfRole(firstTexts(texts, wanted.searchedMax), role, wanted)))
  }
  // Sorting is stable: lines of one moment stay in the order of their file.
  return found.toSorted((a, b) => timeOf(a) - timeOf(b)).slice(-wanted.limit)
}

const timeOf = ({ at }: LogLine): number => at?.getTime() ?? 0

/** Undated lines get the time of the line before them in the file, so that a crash stays in one piece. */
async function newestOfRole(
  texts: AsyncGenerator<string>,
  role: string,
  wanted: LinesWanted,
): Promise<LogLine[]> {
  const found: LogLine[] = []
  let undated: LogLine[] = []
  for await (const text of texts) {
    const line = parseLogLine(role, text)
    if (line.at === undefined) {
      if (isWanted(wanted, line)) undated.push(line)
      continue
    }
    if (wanted.since && line.at < wanted.since) break
    const { at } = line
    found.push(...undated.map((each) => ({ ...each, at })))
    undated = []
    if (isWanted(wanted, line)) found.push(line)
    if (found.length >= wanted.limit) break
  }
  // Older than all: the file that had the line before them is gone.
  if (!wanted.since) found.push(...undated)
  return found.slice(0, wanted.limit).toReversed()
}

/** The first texts, up to a number of characters. */
async function* firstTexts(
  texts: AsyncGenerator<string>,
  max = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  let read = 0
  for await (const text of texts) {
    read += text.length
    if (read > max) return
    yield text
  }
}

const filesMax = 4

/**
 * The lines of a role's files, the last one first: `api.log`, then `api.log.1`, and so on. Meanwhile the files may be rotated: one of
 * them is missing then, and one that was read has the next name.
 */
async function* textsBackwards(
  folder: string,
  role: string,
  end: number | undefined,
): AsyncGenerator<string> {
  const read = new Set<number>()
  for (let age = 0; age < filesMax; age += 1) {
    const log = await openLog(join(folder, age === 0 ? `${role}.log` : `${role}.log.${age}`))
    if (!log) continue
    if (read.has(log.inode)) {
      await log.file.close()
      continue
    }
    read.add(log.inode)
    for await (const line of linesBackwards(log, '', age === 0 ? end : undefined)) if (line !== '') yield line
  }
}
