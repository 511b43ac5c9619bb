import { setImmediate } from 'node:timers/promises'
import type { Refusals } from '../../../port/network-refusals.ts'

/** As the log has it (native/shim/log/mask.c). */
const mark = '[masked]'
/** Long values are found by pieces of this many letters: a name shows fewer than two pieces of any value. */
const pieceLetters = 16

/**
 * Masks `values` in the names of refusals. Letter case and dots in a name are ignored. If the values are no longer known
 * (undefined), every name is masked.
 */
export async function withMaskedNames(
  refusals: Refusals,
  values: readonly Buffer[] | undefined,
): Promise<Refusals> {
  const names = refusals.entries.map(({ name }) => name)
  if (values?.length === 0 || names.every((name) => name === '')) return refusals
  const shown = values ? await masked(names, values) : names.map((name) => (name === '' ? '' : mark))
  return {
    ...refusals,
    entries: refusals.entries.map((entry, at) => ({ ...entry, name: shown[at] ?? mark })),
  }
}

/** A name's letters without its dots, and the position of each in the name. */
interface Letters {
  text: string
  positions: [from: number, to: number][]
  hidden: Set<number>
}

async function masked(names: readonly string[], values: readonly Buffer[]): Promise<string[]> {
  const all = names.map(lettersOf)
  const pieces = new Set(all.flatMap(({ text }) => piecesIn(text)))
  for (const value of values) {
    for (const form of new Set(formsOf(value))) {
      for (const piece of cut(form)) if (piece.length < pieceLetters || pieces.has(piece)) hide(all, piece)
      // The agent has one thread for all sandboxes, so it must not be blocked here.
      await setImmediate()
    }
  }
  return all.map(({ positions: places, hidden }, at) => withMarks(names[at] ?? '', places, hidden))
}

/** `\\ddd` is one byte (native/resolver/refusals.c). */
function lettersOf(name: string): Letters {
  const letters: Letters = { text: '', positions: [], hidden: new Set() }
  for (const { 0: letter, index } of name.matchAll(/\\(\d{3})|[^.]/g)) {
    letters.text +=
      letter.length > 1 ? String.fromCharCode(Number(letter.slice(1)) & 0xff).toLowerCase() : letter
    letters.positions.push([index, index + letter.length])
  }
  return letters
}

const piecesIn = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - pieceLetters + 1) }, (_, at) =>
    text.slice(at, at + pieceLetters),
  )

/** Forms of the value that a name may contain: plain, URL-encoded, hexadecimal, base64 at any offset of the encoded text. */
function formsOf(value: Buffer): string[] {
  const text = value.toString('utf8')
  const inBase64 = [0, 1, 2].map((before) => {
    const letters = Buffer.concat([Buffer.alloc(before), value])
      .toString('base64')
      .replace(/=+$/, '')
    // Without the letters that also depend on the bytes around the value.
    return letters.slice(Math.ceil((before * 8) / 6), Math.floor(((before + value.length) * 8) / 6))
  })
  const forms = [
    ...[value.toString('latin1'), text.trimEnd(), encodeURIComponent(text), value.toString('hex')],
    ...[value.toString('base64').replace(/=+$/, ''), value.toString('base64url')],
    ...inBase64.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]),
  ]
  return forms.map((form) => form.replaceAll('.', '').toLowerCase()).filter((form) => form.length > 0)
}

function cut(form: string): string[] {
  if (form.length <= pieceLetters) return [form]
  const whole = Math.floor(form.length / pieceLetters)
  const starts = Array.from({ length: whole }, (_, at) => at * pieceLetters)
  return [...starts, form.length - pieceLetters].map((start) => form.slice(start, start + pieceLetters))
}

function hide(all: readonly Letters[], piece: string): void {
  for (const { text, hidden } of all) {
    for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + 1)) {
      for (let letter = at; letter < at + piece.length; letter += 1) hidden.add(letter)
    }
  }
}

/** Replaces each run of hidden letters, with the dots inside it, by one mark. */
function withMarks(name: string, places: Letters['positions'], hidden: ReadonlySet<number>): string {
  let shown = ''
  let end = 0
  for (const [at, [from, to]] of places.entries()) {
    if (!hidden.has(at)) shown += name.slice(end, to)
    else if (!hidden.has(at - 1)) shown += name.slice(end, from) + mark
    end = to
  }
  return shown + name.slice(end)
}
