import { applyBytes, type Span, spansOf } from './ansi-line.ts'
import { GrowingBytes } from './growing-bytes.ts'
import { defaultColour, type Graphics, plainGraphics } from './sgr.ts'

/** The look of text is kept at the first line of each block, so that any block can be drawn alone. */
export const blockLines = 256
/** Longer lines are cut where they are drawn. */
export const shownLineBytes = 16 * 1024

/** The bytes of a log and where its lines are. */
export class LineIndex {
  readonly bytes = new GrowingBytes()
  /** The start of each line, and after the last whole line the start of what follows. */
  #starts = new Uint32Array(1024)
  #wholeLines = 0
  #blocks: Graphics[] = [{ ...plainGraphics }]
  #scanned = 0

  add(chunk: Uint8Array): void {
    this.bytes.add(chunk)
    const view = this.bytes.view
    for (let end = view.indexOf(10, this.#scanned); end >= 0; end = view.indexOf(10, end + 1)) {
      this.#wholeLines += 1
      if (this.#wholeLines === this.#starts.length) this.#starts = doubled(this.#starts)
      this.#starts[this.#wholeLines] = end + 1
      if (this.#wholeLines % blockLines === 0) this.#endBlock(view, end + 1)
    }
    this.#scanned = view.length
  }

  #endBlock(view: Uint8Array, end: number): void {
    const graphics = { ...(this.#blocks.at(-1) ?? plainGraphics) }
    applyBytes(view, [this.#startOf(this.#wholeLines - blockLines), end], graphics)
    this.#blocks.push(graphics)
  }

  /** Lines that have ended. */
  get wholeLines(): number {
    return this.#wholeLines
  }

  /** All lines, with the last one that has not ended. */
  get lines(): number {
    return this.#wholeLines + (this.bytes.length > this.#startOf(this.#wholeLines) ? 1 : 0)
  }

  #startOf(line: number): number {
    return this.#starts[line] ?? this.bytes.length
  }

  /** The bytes of a line without its line feed: the first and the one after the last. */
  range(line: number): [from: number, to: number] {
    const from = this.#startOf(line)
    return line < this.#wholeLines ? [from, this.#startOf(line + 1) - 1] : [from, this.bytes.length]
  }

  /** The line that has the byte. */
  lineAt(byte: number): number {
    let [low, high] = [0, Math.max(0, this.lines - 1)]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if (this.#startOf(middle) <= byte) low = middle
      else high = middle - 1
    }
    return low
  }

  /** The text of the lines from `first` until before `end`. */
  textOf(first: number, end: number): string {
    return this.bytes.text(
      this.#startOf(first),
      end >= this.lines ? this.bytes.length : this.#startOf(end) - 1,
    )
  }

  /** The look at the start of a line. */
  graphicsAt(line: number): Graphics {
    const block = Math.floor(line / blockLines)
    const graphics = {
      ...(this.#blocks[block] ?? { colour: defaultColour, background: defaultColour, flags: 0 }),
    }
    applyBytes(this.bytes.view, [this.#startOf(block * blockLines), this.#startOf(line)], graphics)
    return graphics
  }

  /** The line as it is shown, and its size in bytes if it is cut. `graphics` becomes that of the next line. */
  shown(line: number, graphics: Graphics): { spans: Span[]; cutBytes?: number } {
    const [from, to] = this.range(line)
    const end = Math.min(to, from + shownLineBytes)
    const spans = spansOf(this.bytes.text(from, end), { ...graphics })
    // Nothing follows the last line.
    if (line < this.#wholeLines) applyBytes(this.bytes.view, [from, to], graphics)
    return end < to ? { spans, cutBytes: to - from } : { spans }
  }
}

function doubled(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}
