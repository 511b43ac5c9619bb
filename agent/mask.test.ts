import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maskedValues } from './core/shim/masked-values.ts'
import { maskPieces, pieceBytesMax } from './mask-definition.ts'

const native = join(import.meta.dirname, 'native')
let folder: string
let filter: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-test-mask-'))
  filter = join(folder, 'mask-filter')
  const sources = ['mask-filter/mask-filter.c', 'shim/log/mask.c', 'shim/log/mask-forms.c']
  const checked = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all']
  execFileSync('/usr/bin/cc', ['-O1', '-g', '-std=gnu11', ...checked, '-I.', '-o', filter, ...sources], {
    cwd: native,
  })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const number = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** The masked log of `chunks`. */
function masked(values: string[], chunks: Buffer[], words: string[] = []): Buffer {
  const sent = maskedValues(values).flatMap((value) => [number(value.length), value])
  const frames = chunks.flatMap((chunk) => [number(chunk.length), chunk])
  const input = Buffer.concat([number(values.length), ...sent, ...frames])
  const { status, stdout, stderr } = spawnSync(filter, words, { input, maxBuffer: 64 * 1024 * 1024 })
  expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' })
  return stdout
}

const maskedText = (values: string[], ...chunks: string[]) =>
  masked(
    values,
    chunks.map((chunk) => Buffer.from(chunk)),
  ).toString('utf8')

/** The same by definition: bytes that belong to a piece are removed, and each run of them is replaced by one mark. */
function byDefinition(values: string[], log: Buffer): Buffer {
  const gone = new Uint8Array(log.length)
  for (const piece of maskPieces(values)) {
    for (let at = log.indexOf(piece); at >= 0; at = log.indexOf(piece, at + 1)) {
      gone.fill(1, at, at + piece.length)
    }
  }
  const kept: Buffer[] = []
  for (let at = 0; at < log.length; at += 1) {
    if (!gone[at]) kept.push(log.subarray(at, at + 1))
    else if (!gone[at - 1]) kept.push(Buffer.from('[masked]'))
  }
  return Buffer.concat(kept)
}

function inChunks(log: Buffer, sizes: number[]): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0, turn = 0; at < log.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1
    chunks.push(log.subarray(at, at + size))
    at += size
  }
  return chunks
}

const inLines = (text: string, width: number) => text.replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\n')

const forms: [string, (value: string) => string][] = [
  ['plain', (value) => value],
  ['as JSON', (value) => JSON.stringify({ key: value })],
  ['in base64', (value) => Buffer.from(value).toString('base64')],
  ['in base64 after one byte', (value) => Buffer.from(`u${value}`).toString('base64')],
  ['in base64 after two bytes', (value) => Buffer.from(`u:${value}:x`).toString('base64')],
  ['in base64url', (value) => Buffer.from(`abcd${value}`).toString('base64url')],
  ['in base64 in lines', (value) => inLines(Buffer.from(value).toString('base64'), 76)],
  ['in base64 in short lines', (value) => inLines(Buffer.from(value).toString('base64'), 64)],
  ['in hexadecimal in lines', (value) => inLines(Buffer.from(value).toString('hex'), 60)],
  ['in hexadecimal', (value) => Buffer.from(value).toString('hex')],
  ['in capital hexadecimal', (value) => Buffer.from(value).toString('hex').toUpperCase()],
  ['URL-encoded', (value) => encodeURIComponent(value)],
  ['as a form', (value) => new URLSearchParams({ key: value }).toString()],
]

describe('masking', () => {
  it('replaces a value by one mark, across chunks', () => {
    expect(maskedText(['opensesame'], 'say opensesame, now')).toBe('say [masked], now')
    expect(maskedText(['opensesame'], 'say open', 'ses', 'ame, now')).toBe('say [masked], now')
    expect(maskedText(['opensesame'], ...'say opensesame'.split(''))).toBe('say [masked]')
  })

  it('leaves nothing of a value that was encoded in lines', () => {
    const value = Array.from({ length: 300 }, (_, at) => String.fromCharCode(33 + ((at * at) % 90))).join('')
    const base64 = inLines(Buffer.from(value).toString('base64'), 76)
    expect(maskedText([value], `say ${base64}\n`)).toMatch(/^say (\[masked\]\n)+$/)
    const hex = inLines(Buffer.from(value).toString('hex'), 60)
    expect(maskedText([value], `say ${hex}now`)).toMatch(/^say (\[masked\]\n)+now$/)
  })

  it('leaves no letter of a value that was encoded alone', () => {
    expect(maskedText(['opensesame'], 'b3BlbnNlc2FtZQ==')).toBe('[masked]==')
    expect(maskedText(['?>?>?>?>'], 'Pz4_Pj8-Pz4')).toBe('[masked]')
  })

  it('has no new line among the first bytes of a piece, which would hold lines back that only end alike', () => {
    const letters = Array.from({ length: 9000 }, (_, at) => String.fromCharCode(33 + ((at * at) % 90)))
    for (const value of [
      letters.join(''),
      'x'.repeat(5000),
      `${'y'.repeat(31)}\n`.repeat(20),
      `${'z'.repeat(32)}\nend of it`,
    ]) {
      expect(maskPieces([value]).filter((piece) => piece.subarray(0, 8).includes(0x0a))).toEqual([])
    }
  })

  it('keeps no line back that only may end like the start of a value', () => {
    const value = Array.from({ length: 9000 }, (_, at) => String.fromCharCode(33 + ((at * at) % 90))).join('')
    const lines = Array.from({ length: 2000 }, (_, at) => `${at.toString(36)}\n`)
    const chunks = lines.map((line) => Buffer.from(line))
    expect(masked([value], chunks, ['told apart']).toString().split('\0')).toEqual([...lines, ''])
  })

  it('finds a value of which a shell took the new lines off', () => {
    expect(maskedText(['opensesame\r\n\n'], 'say opensesame, now')).toBe('say [masked], now')
    expect(maskedText(['abc\n'], 'say abc, now, abc\nor')).toBe('say abc, now, [masked]or')
  })

  it('keeps what only looks like the start of a value', () => {
    expect(maskedText(['opensesame'], 'say opensesam')).toBe('say opensesam')
    expect(maskedText(['opensesame'], 'openopensesameopen')).toBe('open[masked]open')
  })

  it('takes the longest of values that begin alike, and rows of values as one', () => {
    expect(maskedText(['open', 'opensesame'], 'opensesame open')).toBe('[masked] [masked]')
    expect(maskedText(['aaaa'], 'aaaaaaaaaaa b')).toBe('[masked] b')
    expect(maskedText(['abcd', 'cdef'], 'xabcdefx')).toBe('x[masked]x')
  })

  it('leaves less than two pieces of a long value that was printed in part', () => {
    const value = Array.from({ length: 4096 }, (_, at) => String.fromCharCode(33 + ((at * at) % 90))).join('')
    for (const [from, to] of [
      [0, 4096],
      [0, 100],
      [17, 80],
      [1000, 3001],
    ]) {
      const rows = maskedText([value], `\n${value.slice(from, to)}\n`).split(/\[masked\]|\n/)
      expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(2 * pieceBytesMax - 1)
    }
  })

  it.each(forms)('finds a value %s', (_name, form) => {
    fc.assert(
      fc.property(fc.string({ minLength: 4, maxLength: 200, unit: 'grapheme' }), (value) => {
        const log = Buffer.from(`before ${form(value)} after`)
        const kept = masked([value], inChunks(log, [7, 1, 30]))
        expect(kept.equals(byDefinition([value], log))).toBe(true)
        expect(kept.includes('[masked]')).toBe(true)
        const around = 'before [masked] after'
        expect(kept.includes(value)).toBe(around.includes(value))
      }),
      { numRuns: 30 },
    )
  })

  it('does to any log in any chunks what its definition says', () => {
    const letters = fc.constantFrom('a', 'b', '%', '2')
    const value = fc.string({ unit: letters, minLength: 4, maxLength: 90 })
    const noise = fc.string({ unit: letters, maxLength: 60 })
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(noise, fc.nat(), fc.nat({ max: forms.length - 1 })), { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 }),
        (values, parts, sizes) => {
          const text = parts.map(([before, of, how]) => {
            const form = forms[how]?.[1] ?? String
            return before + form(values[of % values.length] ?? '')
          })
          const log = Buffer.from(text.join(''))
          expect(masked(values, inChunks(log, sizes)).toString()).toBe(byDefinition(values, log).toString())
        },
      ),
      { numRuns: 200 },
    )
  })

  it('passes any bytes on as they are where nothing is masked', () => {
    const log = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * 7919) % 251))
    expect(masked([], [log]).equals(log)).toBe(true)
    expect(masked(['not in there'], [log]).equals(log)).toBe(true)
  })

  it('holds 256 KiB of values', () => {
    const values = Array.from({ length: 100 }, (_, at) => `${at}`.padEnd(2600, `${at * 7919}.`))
    expect(maskedText(values, `a ${values[42]} b ${values[99]}`)).toBe('a [masked] b [masked]')
  })

  it('holds 256 KiB of values of which every form is long', () => {
    const letters = '"/=@:;?&\\ '
    let state = 1
    const letter = () => {
      state = (state * 48_271) % 2_147_483_647
      return letters[state % letters.length] ?? ''
    }
    const values = Array.from({ length: 100 }, () => Array.from({ length: 2621 }, letter).join(''))
    expect(maskedText(values, `a ${values[42]} b`)).toBe('a [masked] b')
  })

  it.each([
    ['mask_too_short', ['abc']],
    ['mask_too_long', ['x'.repeat(64 * 1024 + 1)]],
    ['mask_values', Array.from({ length: 101 }, (_, at) => `value ${at}`)],
    ['mask_total', Array.from({ length: 5 }, () => 'x'.repeat(60_000))],
  ])('refuses with %s what it cannot hold', (slug, values) => {
    expect(() => maskedValues(values)).toThrow(expect.objectContaining({ slug }))
  })
})
