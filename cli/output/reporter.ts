import { fstatSync } from 'node:fs'
import type { Failure } from '../failure.ts'
import { escapeControls, escapeLines } from './escape-controls.ts'
import { paint } from './paint.ts'

/**
 * The output of a command. Results go to standard output and progress to standard error, so that a pipe receives only
 * the result. With `--json` standard output is one document, or one line per event while watching, and progress is
 * silent.
 */
export interface Reporter {
  json: boolean
  /**
   * The result: `document` with --json, on one line if events came before it; otherwise the text. The caller escapes
   * foreign text.
   */
  result(text: string, document: unknown): void
  /** One step of something that is watched. */
  event(text: string, document: unknown): void
  /**
   * Notes that the bytes of a job on standard output did not end their line. The next message starts a line of its own
   * where both streams go to the same place; the bytes themselves stay as they are.
   */
  lineLeftOpen: () => void
  /** Progress, only for people. */
  progress(text: string): void
  failure(failure: Failure): void
}

export function createReporter(json: boolean): Reporter {
  let watching = false
  let isLineOpen = false
  const out = (text: string) => void process.stdout.write(text)
  const err = (text: string) => {
    process.stderr.write(isLineOpen && outputsAreOne() ? `\n${text}` : text)
    isLineOpen = false
  }
  return {
    json,
    result: (text, document) => out(json ? `${JSON.stringify(document, null, watching ? 0 : 2)}\n` : text),
    event(text, document) {
      watching = true
      if (json) out(`${JSON.stringify(document)}\n`)
      else err(`${text}\n`)
    },
    lineLeftOpen: () => {
      isLineOpen = true
    },
    progress: (text) => void (json || err(`${text}\n`)),
    failure: (failure) => err(json ? failureJson(failure) : failureText(failure)),
  }
}

/** Whether both outputs are the same pipe or file. */
function outputsAreOne(): boolean {
  const [out, err] = [fstatSync(process.stdout.fd), fstatSync(process.stderr.fd)]
  return out.dev === err.dev && out.ino === err.ino
}

function failureJson({ exitCode, ...error }: Failure): string {
  return `${JSON.stringify({ error: { ...error, exit_code: exitCode } })}\n`
}

function failureText({ code, message, problems = [], hint }: Failure): string {
  const tag = code.startsWith('cli') || code.startsWith('http_') ? '' : ` (${escapeControls(code)})`
  const lines = [
    `${paint('error:', 'red', process.stderr)} ${escapeLines(message)}${tag}`,
    ...problems.map((problem) => `  ${escapeControls(problem)}`),
    `${paint('hint:', 'yellow', process.stderr)}  ${escapeLines(hint)}`,
  ]
  return `${lines.join('\n')}\n`
}
