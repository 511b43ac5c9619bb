import { Omissible } from '@sandbox-jobs/contract/schema.ts'
import { type Static, Type } from 'typebox'
import { PlainError } from '../../../../base/errors/plain-error.ts'
import type { Slice } from '../../../../fairness/loop-slices.ts'
import { occurrencesOf } from './occurrences.ts'
import { requireSmall } from './text-file.ts'

const Line = (description: string) =>
  Omissible(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }))

export const Replacements = Type.Array(
  Type.Object({
    target: Type.String({ minLength: 1, description: 'Exact string to find, including whitespace.' }),
    replacement: Type.String({ description: 'Content to replace the target with.' }),
    start_line: Line('Search only from this line on, from 1.'),
    end_line: Line('Search only up to this line.'),
    allow_multiple: Omissible(
      Type.Boolean({ description: 'Replace all occurrences. By default more than one is an error.' }),
    ),
  }),
  { minItems: 1, maxItems: 64, description: 'Replacements, applied one after another.' },
)
type Replacement = Static<typeof Replacements>[number]

/** More of one target need a command. */
const occurrencesMax = 100_000

/** The text after all replacements. Throws 400 for a target that is not there or not once, and 413. */
export async function replaced(
  text: string,
  replacements: readonly Replacement[],
  slice: Slice,
): Promise<string> {
  let after = text
  for (const replacement of replacements) {
    if (slice.isOver) await slice.next()
    after = replacedOnce(after, replacement)
  }
  return after
}

function replacedOnce(text: string, { start_line, end_line, ...what }: Replacement): string {
  if (!start_line && !end_line) return replacedIn(text, what)
  const first = (start_line ?? 1) - 1
  const start = lineStart(text, first)
  const end = end_line ? lineStart(text, Math.max(first, end_line)) : text.length
  return text.slice(0, start) + replacedIn(text.slice(start, end), what) + text.slice(end)
}

/** Where the line starts that has so many before it; the end of a text with fewer lines. */
function lineStart(text: string, before: number): number {
  let start = 0
  for (let left = before; left > 0; left -= 1) {
    start = text.indexOf('\n', start) + 1
    if (start === 0) return text.length
  }
  return start
}

function replacedIn(
  text: string,
  { target, replacement, allow_multiple }: Omit<Replacement, 'start_line' | 'end_line'>,
): string {
  const offsets: number[] = []
  let count = 0
  for (const offset of occurrencesOf(target, text)) {
    count += 1
    if (count <= occurrencesMax) offsets.push(offset)
  }
  if (count === 0) throw new PlainError(400, 'Target string not found')
  if (count > 1 && !allow_multiple)
    throw new PlainError(400, `Found ${count} occurrences of target string but allow_multiple is false`)
  if (count > occurrencesMax)
    throw new PlainError(
      413,
      `The target is there more than ${occurrencesMax} times. Use a command, such as sed.`,
    )
  requireSmall(Buffer.byteLength(text) + count * (Buffer.byteLength(replacement) - Buffer.byteLength(target)))
  const ends = offsets.map((offset) => offset + target.length)
  return [0, ...ends].map((start, at) => text.slice(start, offsets[at])).join(replacement)
}
