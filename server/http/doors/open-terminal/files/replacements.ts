import { Omissible } from '@sandbox-jobs/contract/schema.ts'
import { type Static, Type } from 'typebox'
import { PlainError } from '../../../../base/errors/plain-error.ts'
import { linesOf, requireSmall } from './text-file.ts'

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

/** The text after all replacements. Throws 400 for a target that is not there or not once, and 413. */
export const replaced = (text: string, replacements: readonly Replacement[]): string =>
  replacements.reduce((before, replacement) => replacedOnce(before, replacement), text)

function replacedOnce(text: string, { start_line, end_line, ...what }: Replacement): string {
  if (!start_line && !end_line) return replacedIn(text, what)
  const lines = linesOf(text)
  const start = (start_line ?? 1) - 1
  const end = Math.max(start, end_line ?? lines.length)
  const region = replacedIn(lines.slice(start, end).join(''), what)
  return [...lines.slice(0, start), region, ...lines.slice(end)].join('')
}

function replacedIn(
  text: string,
  { target, replacement, allow_multiple }: Omit<Replacement, 'start_line' | 'end_line'>,
): string {
  const parts = text.split(target)
  const count = parts.length - 1
  if (count === 0) throw new PlainError(400, 'Target string not found')
  if (count > 1 && !allow_multiple)
    throw new PlainError(400, `Found ${count} occurrences of target string but allow_multiple is false`)
  requireSmall(Buffer.byteLength(text) + count * (Buffer.byteLength(replacement) - Buffer.byteLength(target)))
  return parts.join(replacement)
}
