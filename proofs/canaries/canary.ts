import { randomBytes } from 'node:crypto'

/** A random text for one search. Every canary contains it so densely that any useful part of a canary has it. */
export const newStem = (): string =>
  randomBytes(6)
    .toString('hex')
    .replaceAll(/\d/g, (digit) => 'ghijkmnpqr'[Number(digit)] ?? '')

export interface Pattern {
  form: string
  bytes: Buffer
}

/** The encodings that a stem is searched in. It has only letters, so JSON, shell quotes and URL forms do not change it. */
export function patternsOf(stem: string): Pattern[] {
  const bytes = Buffer.from(stem)
  const hex = bytes.toString('hex')
  const percent = hex.replaceAll(/../g, '%$&')
  const texts: [string, string][] = [
    ['plain', stem],
    ...[0, 1, 2].map((before): [string, string] => [`base64 after ${before}`, base64Middle(bytes, before)]),
    ['hex', hex],
    ['capital hex', hex.toUpperCase()],
    ['URL', percent],
    ['capital URL', percent.toUpperCase()],
  ]
  const wide: Pattern = { form: 'UTF-16', bytes: Buffer.from(stem, 'utf16le') }
  return [...texts.map(([form, text]) => ({ form, bytes: Buffer.from(text) })), wide]
}

/** The base64 letters that do not depend on the bytes before and after. */
function base64Middle(bytes: Buffer, before: number): string {
  const letters = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  const [bitsOfByte, bitsOfLetter] = [8, 6]
  const first = Math.ceil((before * bitsOfByte) / bitsOfLetter)
  return letters.slice(first, Math.floor(((before + bytes.length) * bitsOfByte) / bitsOfLetter))
}

/** Secrets of one run, in shapes that are easily misparsed. */
export function canariesWith(stem: string): Record<string, string> {
  const own = randomBytes(6).toString('hex')
  const prefix = `${stem}${own}`
  return {
    TOKEN: `sk-${own}-${stem}`,
    PREFIX: prefix,
    LONGER: `${prefix}${stem}`,
    LINES: `-----BEGIN KEY-----\n${`${stem}${stem}\r\n`.repeat(40)}-----END KEY-----\n`,
    QUOTES: `it's "${stem}" \\'${own}\\" \`${stem}\``,
    SHELL: `$(touch /workspace/owned) \${${stem}} ; exit 9 # && ${stem} *`,
    URL: `https://user:${stem}@host/?a=%2F${stem}+b&c=${own}`,
    OTHER: `žluť 🐴 ${stem} \u202e ${own}`,
    LONG: `${own}${stem}`.repeat(600),
  }
}
