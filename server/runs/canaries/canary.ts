import { randomBytes } from 'node:crypto'

/** Of one search: every canary holds it, at most as many bytes apart as any piece that could be kept of a canary. */
export const newStem = (): string =>
  randomBytes(6)
    .toString('hex')
    .replaceAll(/\d/g, (digit) => 'ghijkmnpqr'[Number(digit)] ?? '')

export interface Pattern {
  form: string
  bytes: Buffer
}

/** What a stem is found by. It has letters alone, so that JSON, a shell's quotes and a form leave it as it is. */
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

/** The letters that say nothing of what stands before and behind. */
function base64Middle(bytes: Buffer, before: number): string {
  const letters = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  const [bitsOfByte, bitsOfLetter] = [8, 6]
  const first = Math.ceil((before * bitsOfByte) / bitsOfLetter)
  return letters.slice(first, Math.floor(((before + bytes.length) * bitsOfByte) / bitsOfLetter))
}

/** Secrets of one run, in the shapes that are easily mistaken for something else. */
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
