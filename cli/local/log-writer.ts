import { escapeLines } from '../output/escape-controls.ts'
import type { Reporter } from '../output/reporter.ts'

/** Shows a log as it comes: on standard error, escaped on a terminal, or with --json as the events of a followed log. */
export function logWriter(report: Reporter) {
  const decoder = new TextDecoder()
  let position = 0
  const show = (text: string, start: number) => {
    if (text === '') return
    if (report.json) report.event('', { kind: 'log', start, text })
    else process.stderr.write(process.stderr.isTTY === true ? escapeLines(text) : text)
  }
  return {
    write: (bytes: Buffer): void => {
      const start = position
      position += bytes.length
      show(decoder.decode(bytes, { stream: true }), start)
    },
    end: () => show(decoder.decode(), position),
  }
}
