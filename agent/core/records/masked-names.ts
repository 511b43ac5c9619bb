import { setImmediate } from 'node:timers/promises'
import type { Refusals } from '../../port/network-refusals.ts'

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
  /** 1 for each letter that is masked. */
  hidden: Uint8Array
}

/** Where letters stand. */
interface Position {
  letters: Letters
  at: number
}

async function masked(names: readonly string[], values: readonly Buffer[]): Promise<string[]> {
  const all = names.map(lettersOf)
  const positions = positionsOf(all)
  for (const value of values) {
    for (const form of new Set(formsOf(value))) {
      if (form.length < pieceLetters) hideEverywhere(all, form)
      else for (const piece of cut(form)) hide(positions, piece)
      // The agent has one thread for all sandboxes, so it must not be blocked here.
      await setImmediate()
    }
  }
  return all.map(({ positions, hidden }, at) => withMarks(names[at] ?? '', positions, hidden))
}

/** `\\ddd` is one byte (native/resolver/refusals.c). */
function lettersOf(name: string): Letters {
  let text = ''
  const positions: Letters['positions'] = []
  for (const { 0: letter, index } of name.matchAll(/\\(\d{3})|[^.]/g)) {
    text += letter.length > 1 ? String.fromCharCode(Number(letter.slice(1)) & 0xff).toLowerCase() : letter
    positions.push([index, index + letter.length])
  }
  return { text, positions, hidden: new Uint8Array(text.length) }
}

/** All pieces of the names. To look for each piece of a long value in each name would take minutes. */
function positionsOf(all: readonly Letters[]): Map<string, Position[]> {
  const positions = new Map<string, Position[]>()
  for (const letters of all) {
    for (let at = 0; at + pieceLetters <= letters.text.length; at += 1) {
      const piece = letters.text.slice(at, at + pieceLetters)
      const same = positions.get(piece)
      if (same) same.push({ letters, at })
      else positions.set(piece, [{ letters, at }])
    }
  }
  return positions
}

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

/** Of at least one piece; the last one ends with the form. */
function cut(form: string): string[] {
  const whole = Math.floor(form.length / pieceLetters)
  const starts = Array.from({ length: whole }, (_, at) => at * pieceLetters)
  return [...starts, form.length - pieceLetters].map((start) => form.slice(start, start + pieceLetters))
}

/** A piece is hidden once, however often the values have it. */
function hide(places: Map<string, Position[]>, piece: string): void {
  for (const { letters, at } of places.get(piece) ?? []) letters.hidden.fill(1, at, at + pieceLetters)
  places.delete(piece)
}

function hideEverywhere(all: readonly Letters[], form: string): void {
  for (const { text, hidden } of all) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + 1))
      hidden.fill(1, at, at + form.length)
  }
}

/** Replaces each run of hidden letters, with the dots inside it, by one mark. */
function withMarks(name: string, places: Letters['positions'], hidden: Uint8Array): string {
  let shown = ''
  let end = 0
  for (const [at, [from, to]] of places.entries()) {
    if (hidden[at] !== 1) shown += name.slice(end, to)
    else if (hidden[at - 1] !== 1) shown += name.slice(end, from) + mark
    end = to
  }
  return shown + name.slice(end)
}
