import { type LogLevel, logLevels } from '@sandbox-jobs/contract/operator/service-log.ts'

/** One line of a log file, whoever wrote it. */
export interface LogLine {
  /** Undefined: nobody wrote when, as in the lines of a crash. */
  at: Date | undefined
  /** The process: that of the file, or `builds`, which writes to the file of the worker. */
  service: string
  level: LogLevel
  text: string
  /** The rest of a line of JSON. */
  fields: Record<string, unknown>
  /** `plain`: without a time of its own. */
  form: 'json' | 'supervisor' | 'postgres' | 'plain'
}

export function parseLogLine(role: string, line: string): LogLine {
  if (role === 'supervisor') return supervisorLine(line)
  return jsonLine(role, line) ?? plainLine(role, line)
}

function jsonLine(role: string, line: string): LogLine | undefined {
  const entry = parsed(line)
  if (typeof entry?.time !== 'number' || typeof entry.msg !== 'string') return undefined
  const { time, msg, level, name, pid: _pid, hostname: _hostname, ...fields } = entry
  return {
    at: dateOf(time),
    service: name === 'builds' ? name : role,
    level: levelOf(level),
    text: msg,
    fields,
    form: 'json',
  }
}

/** `TIME PART WORDS`. */
function supervisorLine(line: string): LogLine {
  const [time = '', ...words] = line.split(' ')
  const at = dateOf(time)
  const text = at ? words.join(' ') : line
  return { at, service: 'supervisor', level: 'info', text, fields: {}, form: 'supervisor' }
}

const postgresLevels: Record<string, LogLevel> = {
  ...{ DEBUG: 'debug', LOG: 'info', WARNING: 'warn', ERROR: 'error', FATAL: 'fatal', PANIC: 'fatal' },
}
const postgresForm = /^(\S+ \S+) UTC \[\d+\] ([A-Z]+)\d?: +(.*)$/

/** A line of Postgres, which continues its text after a tab, or one of a crash. */
function plainLine(role: string, line: string): LogLine {
  const [, time, word = '', text = line] = postgresForm.exec(line) ?? []
  const isContinued = line.startsWith('\t')
  return {
    at: time === undefined ? undefined : dateOf(`${time.replace(' ', 'T')}Z`),
    service: role,
    level: time === undefined && !isContinued ? 'error' : (postgresLevels[word] ?? 'warn'),
    text: isContinued ? text.trim() : text,
    fields: {},
    form: time === undefined ? 'plain' : 'postgres',
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function dateOf(time: string | number): Date | undefined {
  const at = new Date(time)
  return Number.isNaN(at.getTime()) ? undefined : at
}

const levelStep = 10

/** A line has the number of its level, and its name where the line is about a level. */
function levelOf(level: unknown): LogLevel {
  const named = typeof level === 'number' ? logLevels[Math.floor(level / levelStep) - 1] : level
  return logLevels.find((each) => each === named) ?? 'info'
}

/** Whether a line of that level is shown to somebody who wants lines of `wanted` and more. */
export const isAtLeast = (level: LogLevel, wanted: LogLevel): boolean =>
  logLevels.indexOf(level) >= logLevels.indexOf(wanted)
