import { refusalText } from './archive-refusal-texts.ts'

/**
 * Every reason to refuse an archive or an image, by slug. `hostile`: no honest archiver writes it, or it could
 * mean different things to different readers; `broken`: the bytes are not a whole archive; `rule`: what a base image out
 * of a registry may be; `limit`: a bound.
 */
const archiveRefusals = {
  path_empty: 'hostile',
  path_not_utf8: 'hostile',
  path_control_character: 'hostile',
  path_absolute: 'hostile',
  path_drive: 'hostile',
  path_backslash: 'hostile',
  path_escapes: 'hostile',
  path_not_normal: 'hostile',
  path_reserved: 'hostile',
  path_too_long: 'limit',
  path_too_deep: 'limit',
  duplicate_path: 'hostile',
  entry_below_file: 'hostile',
  entry_below_link: 'hostile',
  link_absolute: 'hostile',
  link_escapes: 'hostile',
  link_not_normal: 'hostile',
  hard_link_target: 'hostile',
  device_entry: 'hostile',
  sparse_entry: 'hostile',
  unknown_entry_type: 'hostile',
  bad_checksum: 'hostile',
  header_disagrees: 'hostile',
  pax_record: 'hostile',
  trailing_data: 'hostile',
  encrypted_entry: 'hostile',
  entries_overlap_or_gap: 'hostile',
  zip64_unsupported: 'hostile',
  zip_feature_unsupported: 'hostile',
  image_path_reserved: 'hostile',
  image_whiteout: 'hostile',
  image_overlay_attribute: 'hostile',
  archive_format: 'broken',
  no_files: 'broken',
  dockerfile_missing: 'broken',
  dockerfile_not_a_file: 'broken',
  archive_truncated: 'broken',
  archive_corrupt: 'broken',
  base_manifest_unsupported: 'rule',
  base_layer_unsupported: 'rule',
  base_platform_missing: 'rule',
  base_image_malformed: 'rule',
  base_digest_mismatch: 'rule',
  base_user_invalid: 'rule',
  base_volume_invalid: 'rule',
  onbuild_forbidden: 'rule',
  base_image_too_large: 'limit',
  archive_too_large: 'limit',
  archive_too_many_entries: 'limit',
  too_many_files: 'limit',
  archive_names_too_large: 'limit',
  archive_ratio: 'limit',
  archive_timeout: 'limit',
  archive_reader_died: 'limit',
} as const

export type ArchiveRefusal = keyof typeof archiveRefusals

export const isArchiveRefusal = (slug: string): slug is ArchiveRefusal => Object.hasOwn(archiveRefusals, slug)

/** A bound on unpacked bytes and what to say when it is passed. */
export interface SizeBound {
  maxBytes: number
  slug: 'archive_ratio' | 'archive_too_large'
}

/** The archive or image is refused. Its message holds no text of it. */
export class ArchiveRefused extends Error {
  readonly slug: ArchiveRefusal
  /** Name of the entry that was looked at, as it may be shown. */
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

  /** For the build log of `what` was refused: where, and what the rule wants. */
  explanation(what: 'archive' | 'image'): string {
    const where = this.entry === undefined ? what : `${what}, entry ${this.entry}`
    return `${where}: ${refusalText(this.slug)} (${this.slug})\n`
  }
}

const maxNameCharacters = 200
const maxShownCharacters = 8 * maxNameCharacters + 1
const unshowable = /[\p{C}\u2028\u2029]/gu

/** Whether a text may be the name of an entry as a refusal shows it. */
export const isShownEntry = (text: unknown): text is string =>
  typeof text === 'string' && text.length <= maxShownCharacters && text.search(unshowable) === -1

/** Characters that could change what is seen around them are spelled out. */
function shown(name: Buffer): string {
  const text = name.toString('utf8')
  const cut = text.length > maxNameCharacters ? `${text.slice(0, maxNameCharacters)}…` : text
  return cut.replace(unshowable, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`)
}

/** Does `work` on the entry of that name; a refusal then tells it. */
export function onEntry<Result>(name: Buffer, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof ArchiveRefused) error.entry ??= shown(name)
    throw error
  }
}
