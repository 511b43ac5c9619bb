import { refusalText } from './archive-refusal-texts.ts'
import { type ArchiveRefusal, archiveRefusals } from './archive-refusals.ts'

/** A bound on unpacked bytes, and the slug when it is exceeded. */
export interface SizeBound {
  maxBytes: number
  slug: 'archive_ratio' | 'archive_too_large'
}

/** A refused archive or image. The message contains no text from it. */
export class ArchiveRefused extends Error {
  readonly slug: ArchiveRefusal
  /** Name of the refused entry, escaped for display. */
  entry: string | undefined

  constructor(slug: ArchiveRefusal, entry?: string) {
    super(`archive refused: ${slug}`)
    this.name = 'ArchiveRefused'
    this.slug = slug
    this.entry = entry
  }

  /** The build attempt's `error_detail` (contract, Build attempt): the rule's family first, then the rule. */
  get errorDetail(): string {
    const isHostile = archiveRefusals[this.slug] === 'hostile'
    return isHostile ? `reserved_path_or_hostile_entry;${this.slug}` : this.slug
  }

  /** Text for the build log: the entry of `what`, and the rule. */
  explanation(what: 'archive' | 'image'): string {
    const where = this.entry === undefined ? what : `${what}, entry ${this.entry}`
    return `${where}: ${refusalText(this.slug)} (${this.slug})\n`
  }
}

const maxNameCharacters = 200
const maxShownCharacters = 8 * maxNameCharacters + 1
const unshowable = /[\p{C}\u2028\u2029]/gu

/** Whether a text is a valid escaped entry name. */
export const isShownEntry = (text: unknown): text is string =>
  typeof text === 'string' && text.length <= maxShownCharacters && text.search(unshowable) === -1

/** Escapes characters that could change how the surrounding text is displayed. */
export function shownName(name: Buffer): string {
  const text = name.toString('utf8')
  const cut = text.length > maxNameCharacters ? `${text.slice(0, maxNameCharacters)}…` : text
  return cut.replace(unshowable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** Runs `work` for the entry of that name, and adds the name to a refusal. */
export function onEntry<Result>(name: Buffer, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof ArchiveRefused) error.entry ??= shownName(name)
    throw error
  }
}
