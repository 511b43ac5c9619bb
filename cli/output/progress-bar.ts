import { bytesText } from './sizes.ts'

/** Progress towards a known total: one redrawn line on a terminal, otherwise four lines. */
export interface Progress {
  update(done: number): void
  end(): void
}

const barWidth = 30
const quarters = 4

export interface ProgressOptions {
  label: string
  total: number
  stream: { isTTY?: boolean; write(text: string): unknown }
}

export function progressBar({ label, total, stream }: ProgressOptions): Progress {
  return stream.isTTY === true ? drawnBar(label, total, stream) : plainLines(label, total, stream)
}

type Stream = ProgressOptions['stream']

function drawnBar(label: string, total: number, stream: Stream): Progress {
  let shown = ''
  return {
    update(done) {
      const line = `${label} ${barOf(done, total)} ${share(done, total)}% of ${bytesText(total)}`
      // Drawing the same line again would only make it flicker.
      if (line !== shown) stream.write(`\r${line}`)
      shown = line
    },
    end: () => void stream.write(shown === '' ? '' : '\n'),
  }
}

function plainLines(label: string, total: number, stream: Stream): Progress {
  let reached = 0
  return {
    update(done) {
      const quarter = Math.floor((share(done, total) / 100) * quarters)
      if (quarter <= reached) return
      reached = quarter
      stream.write(`${label} ${(quarter * 100) / quarters}% of ${bytesText(total)}\n`)
    },
    end: () => undefined,
  }
}

const share = (done: number, total: number): number =>
  total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100))

/** Only the bar, for progress that counts in steps. */
export function barOf(done: number, total: number): string {
  const filled = total === 0 ? barWidth : Math.min(barWidth, Math.floor((done / total) * barWidth))
  return `[${'='.repeat(filled)}${' '.repeat(barWidth - filled)}]`
}
