import { cutText, visibleText } from '@sandbox-jobs/contract/visible-text.ts'
import type { LogLine } from './log-line.ts'

/** Fields of log lines that are shown: ids, declared names and numbers. */
const shownFields = [
  ...['method', 'route', 'status', 'ms', 'bytes', 'broken', 'from', 'company', 'person', 'key'],
  ...['request', 'run', 'attempt', 'version', 'id', 'subject', 'sandbox', 'mail', 'file', 'bundle'],
  ...['what', 'loop', 'tool', 'slug', 'reason', 'state', 'outcome'],
]
const valueMaxLength = 200

export interface PublicLine extends Pick<LogLine, 'at' | 'service' | 'level' | 'text'> {
  fields: Record<string, string | number | boolean>
}

/**
 * A line without what a tenant may have written: of what it holds beside the message only `shownFields` and the words of a fault. Of
 * Postgres it has lines about Postgres itself, and of a crash the frames: an error of a statement, or of a crash, may name a value.
 */
export function publicLine({ at, service, level, text, fields, form }: LogLine): PublicLine {
  if (form === 'postgres' || form === 'plain') {
    const isOwn = form === 'plain' ? stackFrame.test(text) : level === 'fatal' || level === 'info'
    const said = isOwn ? cut(text) : `a line in logs/${service}.log`
    return { at, service, level, text: said, fields: {} }
  }
  const named = shownFields.flatMap((name) => {
    const value = shown(fields[name])
    return value === undefined ? [] : [[name, value]]
  })
  const error = messageOf(fields.error) ?? messageOf(fields.err)
  return {
    ...{ at, service, level },
    text: cut(text),
    fields: { ...Object.fromEntries(named), ...(error !== undefined && { error: cut(error) }) },
  }
}

/** `at name (file:1:2)`: names of the program. */
const stackFrame = /^\s+at [\w.<>#[\] ]+ ?\(?(file:|node:)?[\w./@-]+:\d+:\d+\)?$/

function messageOf(error: unknown): string | undefined {
  if (typeof error === 'string') return error
  return typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : undefined
}

function shown(value: unknown): string | number | boolean | undefined {
  if (typeof value === 'string') return cut(value)
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

const cut = (text: string): string => cutText(visibleText(text), valueMaxLength).replaceAll('\n', ' ')
