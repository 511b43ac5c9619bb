import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { cutText, visibleText } from '../../base/visible-text.ts'
import { linesBackwards } from './lines-backwards.ts'
import type { Traced } from './traced.ts'

/** Fields of log lines that are shown: ids, declared names and numbers. */
const shownFields = [
  ...['method', 'route', 'status', 'ms', 'bytes', 'broken', 'from', 'company', 'person', 'key'],
  ...['request', 'run', 'attempt', 'version', 'id', 'subject', 'sandbox', 'mail', 'file', 'bundle'],
  ...['what', 'loop', 'tool', 'slug', 'reason', 'state', 'outcome'],
]
const valueMaxLength = 200
const fileName = /^(?<role>[a-z]+)\.log(\.\d)?$/

/** Lines of all log files that name an id: the newest of each file, `limit` at most. Nothing is shown of what they hold beside `shownFields` and the message. */
export function traceLogs(folder: string, id: string, limit: number): { found: Traced[]; isCut: boolean } {
  const found: Traced[] = []
  let isCut = false
  for (const name of readdirSync(folder)) {
    const role = fileName.exec(name)?.groups?.role
    if (role === undefined) continue
    let taken = 0
    for (const line of linesBackwards(join(folder, name), id)) {
      taken += 1
      isCut ||= taken > limit
      if (taken > limit) break
      found.push(
        role === 'supervisor' ? plainEntry(role, line) : (jsonEntry(role, line) ?? plainEntry(role, line)),
      )
    }
  }
  return { found, isCut }
}

function jsonEntry(role: string, line: string): Traced | undefined {
  const entry = parsed(line)
  if (typeof entry?.time !== 'number' || typeof entry.msg !== 'string') return undefined
  const fields = Object.fromEntries(
    shownFields.flatMap((name) => {
      const value = shown(entry[name])
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const error = messageOf(entry.error) ?? messageOf(entry.err)
  return {
    at: new Date(entry.time),
    source: role,
    text: cut(entry.msg),
    fields: { ...fields, ...(error !== undefined && { error: cut(error) }) },
  }
}

/** A line of Postgres or of a crash: it is said that it exists, and the supervisor's own words are shown. */
function plainEntry(role: string, line: string): Traced {
  const [first = '', ...words] = line.split(' ')
  const at = new Date(role === 'supervisor' ? first : `${line.slice(0, 23).replace(' ', 'T')}Z`)
  return {
    at: Number.isNaN(at.getTime()) ? undefined : at,
    source: role,
    text: role === 'supervisor' ? cut(words.join(' ')) : `a line in logs/${role}.log`,
    fields: {},
  }
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function messageOf(error: unknown): string | undefined {
  if (typeof error === 'string') return error
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : undefined
}

function shown(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string') return cut(value)
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

const cut = (text: string): string => cutText(visibleText(text), valueMaxLength).replaceAll('\n', ' ')
