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

/** The texts for base images are in `builds/bases/base-failed.ts`. */
type ExplainedRefusal = Exclude<ArchiveRefusal, `base_${string}` | 'onbuild_forbidden'>

/** Texts for the build log about an archive, or the image built from it. */
const texts: Record<ExplainedRefusal, string> = {
  path_empty: 'An entry has a name.',
  path_not_utf8:
    'Names are UTF-8. A zip of Windows Explorer has other letters than ASCII in the code page of its country: rename the file, or pack with tar -czf, with 7-Zip (parameter cu=on) or by sandbox env push.',
  path_control_character: 'Names have no control characters.',
  path_absolute: 'Names do not begin with a slash.',
  path_drive: 'Names do not begin with a drive letter.',
  path_backslash: 'Names have no backslashes; folders are divided by slashes.',
  path_escapes: 'Names have no .. in them.',
  path_not_normal: 'Names have neither empty parts nor . in them.',
  path_reserved: 'This name is reserved for the platform.',
  path_too_long:
    'A name has at most 1024 bytes in an archive and 3742 in an image, and 255 between two slashes.',
  path_too_deep: 'Folders are at most 64 deep in an archive, and 256 in an image.',
  duplicate_path: 'No two entries have the same name, but for folders.',
  entry_below_file: 'The parent of an entry is a folder, not a file.',
  entry_below_link: 'The parent of an entry is a folder, not a symbolic link.',
  link_absolute: 'A symbolic link in an archive leads to a relative path.',
  link_escapes: 'A symbolic link in an archive leads to a place inside it.',
  link_not_normal: 'The target of a symbolic link has no empty parts, and .. at its start only.',
  hard_link_target: 'A hard link leads to a file before it, or in an image to a symbolic link before it.',
  device_entry: 'There are no devices, FIFOs and sockets.',
  sparse_entry: 'There are no sparse files; pack without --sparse.',
  unknown_entry_type: 'Entries are files, folders and links.',
  bad_checksum: 'The checksum of a header is wrong.',
  header_disagrees: 'The headers disagree with each other, or with the content.',
  pax_record: 'A PAX header has a record that is unknown, or comes twice.',
  trailing_data: 'There are bytes after the end of the archive.',
  encrypted_entry: 'Entries are not encrypted.',
  entries_overlap_or_gap: 'The entries of a zip follow each other without a gap.',
  zip64_unsupported:
    'Of zip64, only archives with an unencrypted directory are supported; pack so, or as tar.gz.',
  zip_feature_unsupported: 'Of zip, only stored or deflated entries are supported; pack so, or as tar.gz.',
  image_path_reserved:
    '/dev, /proc, /sys, /run, /tmp and /workspace are folders or absent, /dev, /proc and /sys hold folders only, and /.sandbox is reserved for the platform.',
  image_whiteout: 'No name begins with .wh.; in images such a name deletes another.',
  image_overlay_attribute: 'Files have no extended attributes of overlay file systems.',
  layer_folder_missing: 'Every entry of a layer comes after an entry of its folder.',
  archive_format: 'The file does not have the format that was declared for the upload: zip, tar or tar.gz.',
  no_files: 'There are no files in it.',
  dockerfile_missing:
    'There is no file named Dockerfile at its top, nor in a folder that is all there is. Pack what is in the folder of the Dockerfile, and not the folder itself.',
  dockerfile_not_a_file: 'The Dockerfile is a file.',
  dockerfile_link:
    'The Dockerfile is a link that leads to no file of the archive. Pack the file that it names, or a copy in its place.',
  ignore_file_malformed:
    'An ignore file is UTF-8 text with a pattern in each line; a pattern has a name after !, a ] for each [, and no backslash at its end.',
  ignore_file_too_large: 'An ignore file has at most 128 KiB and 1000 patterns.',
  archive_truncated: 'The archive is truncated.',
  archive_corrupt: 'It cannot be decompressed, or its checksum is wrong.',
  archive_too_large: 'It unpacks to more than 4 GiB, or is an image of more than 10 GiB.',
  archive_too_many_entries: 'There are at most 100000 entries in an archive, and a million in an image.',
  too_many_files: 'There are too many files.',
  archive_names_too_large: 'All names together have at most 16 MiB in an archive, and 128 MiB in an image.',
  archive_ratio: 'It unpacks to more than 200 times its size.',
  archive_timeout: 'It took too long to read.',
  archive_reader_died: 'The process that read it exceeded its memory limit or crashed, twice.',
}

const isExplained = (slug: ArchiveRefusal): slug is ExplainedRefusal => Object.hasOwn(texts, slug)

const refusalText = (slug: ArchiveRefusal): string => (isExplained(slug) ? texts[slug] : '')
