import { durationText } from './sizes.ts'

/** Says for work without a known end that it is still running: one redrawn line on a terminal, otherwise a line now and then. */
export interface BusyLine {
  /** How far the work is. */
  say(detail: string): void
  end(): void
}

export interface BusyLineOptions {
  /** The work that is being done. */
  doing: string
  stream: { isTTY?: boolean; columns?: number; write(text: string): unknown }
}

const redrawMs = 500
const linesMs = 15_000
const clearLine = '\r\u001b[K'

export function busyLine({ doing, stream }: BusyLineOptions): BusyLine {
  const startedAt = performance.now()
  let detail = ''
  const text = () => {
    const passed = durationText(performance.now() - startedAt)
    return `${doing}${detail && `: ${detail}`}, ${passed} so far`
  }
  const draw = () => stream.write(`${clearLine}${text().slice(0, (stream.columns ?? 80) - 1)}`)
  const isTerminal = stream.isTTY === true
  const timer = isTerminal
    ? setInterval(draw, redrawMs)
    : setInterval(() => stream.write(`${text()}\n`), linesMs)
  return {
    say: (now) => {
      detail = now
    },
    end() {
      clearInterval(timer)
      if (isTerminal) stream.write(clearLine)
    },
  }
}
