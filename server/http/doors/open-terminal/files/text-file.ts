import { isUtf8 } from 'node:buffer'
import { PlainError } from '../../../../base/errors/plain-error.ts'
import type { Person } from '../../../../doors/terminal/person.ts'
import { firstBytesOf, treeOf } from '../../../../doors/terminal/person-files.ts'
import type { SessionServices } from '../../../../sessions/session-services.ts'

/* Files as text: small enough for an answer, and UTF-8. */

const textMaxBytes = 1024 * 1024

/** Throws 404 in the platform's words. */
export async function requireFile(
  deps: SessionServices,
  person: Person,
  path: string | undefined,
): Promise<string> {
  const entry = path === undefined ? undefined : (await treeOf(deps, person)).get(path)
  if (entry?.kind !== 'file') throw new PlainError(404, 'File not found')
  return entry.path
}

/** All bytes of a file. Throws 404, 413 for a file of more than 1 MiB, and what a download throws. */
export async function wholeFile(
  deps: SessionServices,
  person: Person,
  { path, signal }: { path: string | undefined; signal: AbortSignal },
): Promise<Buffer> {
  const file = await requireFile(deps, person, path)
  const { bytes, byteSize } = await firstBytesOf(deps, person, { path: file, maxBytes: textMaxBytes, signal })
  if (byteSize > textMaxBytes)
    throw new PlainError(413, 'The file has more than 1 MiB. Use a command, such as sed, head or tail.')
  return bytes
}

/** Undefined for bytes that are no text. */
export const asText = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) ? bytes.toString('utf8') : undefined

/** Throws 413 for what would be larger than a file may be here. */
export function requireSmall(byteSize: number): void {
  if (byteSize > textMaxBytes)
    throw new PlainError(413, 'The file would have more than 1 MiB. Use a command.')
}

/** The lines from `first` to `last`, counted from 1, with their ends; and how many lines the text has. */
export function linesOf(
  text: string,
  { first = 1, last = Number.POSITIVE_INFINITY }: { first?: number | undefined; last?: number | undefined },
): { content: string; total: number } {
  let total = 0
  let [start, end] = [text.length, text.length]
  for (let at = 0; at < text.length; ) {
    total += 1
    if (total === first) start = at
    at = text.indexOf('\n', at) + 1 || text.length
    if (total === last) end = at
  }
  return { content: text.slice(start, end), total }
}
