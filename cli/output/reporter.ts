import type { Failure } from '../failure.ts'
import { escapeControls, escapeLines } from './escape-controls.ts'
import { paint } from './paint.ts'

/**
 * Where a command says things. Results go to standard output, progress to standard error, so that a pipe gets the
 * result alone. With `--json` standard output is one document, or one line per event while something is watched, and
 * progress is silent.
 */
export interface Reporter {
  json: boolean
  /** The result: `document` with --json, else the text. Text of others must be escaped by the caller. */
  result(text: string, document: unknown): void
  /** One step of something that is watched. */
  event(text: string, document: unknown): void
  /** What is going on, for people only. */
  progress(text: string): void
  failure(failure: Failure): void
}

export function createReporter(json: boolean): Reporter {
  const out = (text: string) => void process.stdout.write(text)
  const err = (text: string) => void process.stderr.write(text)
  return {
    json,
    result: (text, document) => out(json ? `${JSON.stringify(document, null, 2)}\n` : text),
    event: (text, document) => (json ? out(`${JSON.stringify(document)}\n`) : err(`${text}\n`)),
    progress: (text) => void (json || err(`${text}\n`)),
    failure: (failure) => err(json ? failureJson(failure) : failureText(failure)),
  }
}

function failureJson({ code, message, hint, status }: Failure): string {
  return `${JSON.stringify({ error: { code, message, hint, ...(status === undefined ? {} : { status }) } })}\n`
}

function failureText({ code, message, hint }: Failure): string {
  const tag = code.startsWith('cli') || code.startsWith('http_') ? '' : ` (${escapeControls(code)})`
  return `${paint('error:', 'red', process.stderr)} ${escapeLines(message)}${tag}\n${paint('hint:', 'yellow', process.stderr)}  ${escapeLines(hint)}\n`
}
