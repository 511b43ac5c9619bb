const warnLevel = 40
const levelNames: Record<number, string> = { 40: 'warning', 50: 'error', 60: 'fatal' }

/** Frames and details of a crash: the log file has them, the terminal shows only the message above them. */
const crashDetail = /^(\s|[}\])^]|node:internal|Node\.js v|$)/

/** The text that the operator sees of a role's line: a short form of warnings and errors, and lines that are not log lines. */
export function terminalText(line: string): string | undefined {
  const entry = asLogEntry(line)
  if (!entry) return crashDetail.test(line) ? undefined : line
  if (entry.level < warnLevel) return undefined
  const reason = reasonOf(entry.err) ?? reasonOf(entry.error)
  return `${levelNames[entry.level] ?? 'log'}: ${entry.msg ?? ''}${reason ? ` (${reason})` : ''}`
}

/** The message of an error in a log line, which is a text or an object. */
function reasonOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return typeof error === 'string' ? error : undefined
  return 'message' in error && typeof error.message === 'string' ? error.message : JSON.stringify(error)
}

interface LogEntry {
  level: number
  msg?: string
  error?: unknown
  err?: unknown
}

function asLogEntry(line: string): LogEntry | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const value = JSON.parse(line) as Partial<LogEntry>
    return typeof value.level === 'number' ? (value as LogEntry) : undefined
  } catch {
    return undefined
  }
}

/** One line for people on standard output: time, source, text. */
export function say(who: string, text: string, at: Date): void {
  process.stdout.write(`${at.toISOString().slice(11, 19)} ${who.padEnd(8)} ${text}\n`)
}
