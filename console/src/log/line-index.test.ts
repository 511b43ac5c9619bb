import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { textOf } from './ansi-line.ts'
import { blockLines, LineIndex, shownLineBytes } from './line-index.ts'
import { plainGraphics } from './sgr.ts'

const bytesOf = (text: string) => new TextEncoder().encode(text)

function indexOf(...chunks: string[]): LineIndex {
  const index = new LineIndex()
  for (const chunk of chunks) index.add(bytesOf(chunk))
  return index
}

const lineOf = (index: LineIndex, line: number) => textOf(index.shown(line, index.graphicsAt(line)).spans)

describe('lines', () => {
  test('are found in chunks that end anywhere', () => {
    const index = indexOf('on', 'e\ntw', 'o\n\nth', 'ree')
    expect(index.lines).toBe(4)
    expect(index.wholeLines).toBe(3)
    expect([0, 1, 2, 3].map((line) => lineOf(index, line))).toEqual(['one', 'two', '', 'three'])
  })

  test('an empty log has none, and a last line feed begins none', () => {
    expect(indexOf().lines).toBe(0)
    expect(indexOf('one\n').lines).toBe(1)
  })

  test('are found by a byte in them', () => {
    const index = indexOf('one\ntwo\nthree')
    expect([0, 3, 4, 8, 12, 99].map((byte) => index.lineAt(byte))).toEqual([0, 0, 1, 2, 2, 2])
  })

  test('of bytes that are no UTF-8 are shown with replacements', () => {
    const index = new LineIndex()
    index.add(Uint8Array.from([0xff, 0x61, 0xc3, 10, 0xc3, 0xa9]))
    expect([lineOf(index, 0), lineOf(index, 1)]).toEqual(['\ufffda\ufffd', 'é'])
  })

  test('of more than 16 KiB are cut and tell their size', () => {
    const index = indexOf(`${'x'.repeat(50_000)}\u001b[31m\nnext`)
    const graphics = { ...plainGraphics }
    const { spans, cutBytes } = index.shown(0, graphics)
    expect(textOf(spans)).toHaveLength(shownLineBytes)
    expect(cutBytes).toBe(50_005)
    expect(graphics.colour).toBe(1)
  })
})

describe('the look of a line', () => {
  test('is that of all lines before it, in whichever block it is', () => {
    const index = indexOf('\u001b[32mstart\n', 'x\n'.repeat(1000), '\u001b[1m\n', 'y\n'.repeat(1000))
    expect(index.graphicsAt(700)).toEqual({ colour: 2, background: -1, flags: 0 })
    expect(index.graphicsAt(1900)).toEqual({ colour: 2, background: -1, flags: 1 })
    expect(index.graphicsAt(0)).toEqual(plainGraphics)
  })

  test('is the same from the start and from the block, whatever is printed', () => {
    const code = fc.constantFrom('31', '0', '1', '38;5;200', '7', '27', '48;2;1;2;3')
    const line = fc.oneof(
      code.map((codes) => `\u001b[${codes}mtext`),
      fc.constantFrom('plain', '', '\u001b]0;title', '\r', 'é\u001b'),
    )
    fc.assert(
      fc.property(fc.array(line, { minLength: blockLines, maxLength: 2.2 * blockLines }), (lines) => {
        const index = indexOf(lines.join('\n'))
        const graphics = { ...plainGraphics }
        for (let at = 0; at < index.lines; at += 1) {
          expect(index.graphicsAt(at)).toEqual(graphics)
          index.shown(at, graphics)
        }
      }),
      { numRuns: 20 },
    )
  })
})
