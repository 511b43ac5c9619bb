import { isUtf8 } from 'node:buffer'
import { ArchiveRefused } from './archive-refused.ts'

export interface PathBounds {
  maxPathBytes: number
  maxDepth: number
}

const MAX_SEGMENT_BYTES = 255
// C0, DEL and C1: no honest file name has them, and they corrupt logs and terminals.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the rule matches control characters
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/

/** Decodes a name field. Throws if two parsers could read different texts. */
export function decodeName(name: Buffer, maxBytes: number): string {
  if (name.length === 0) throw new ArchiveRefused('path_empty')
  if (name.length > maxBytes) throw new ArchiveRefused('path_too_long')
  if (!isUtf8(name)) throw new ArchiveRefused('path_not_utf8')
  const text = name.toString('utf8')
  if (controlCharacter.test(text)) throw new ArchiveRefused('path_control_character')
  return text
}

/**
 * Parses a name to a relative path: no `.`, `..` or empty segment, no slash at either end; the empty
 * string for the archive's root (`./`). A leading `./` and a directory's trailing slash are dropped.
 */
export function parseEntryPath(name: Buffer, kind: 'directory' | 'other', bounds: PathBounds): string {
  let text = decodeName(name, bounds.maxPathBytes)
  if (text.startsWith('/')) throw new ArchiveRefused('path_absolute')
  if (kind === 'directory') {
    if (text === '.' || text === './') return ''
    if (text.endsWith('/')) text = text.slice(0, -1)
  }
  if (text.startsWith('./')) text = text.slice(2)
  const segments = text.split('/')
  for (const segment of segments) checkSegment(segment)
  if (segments.length > bounds.maxDepth) throw new ArchiveRefused('path_too_deep')
  return text
}

/** Refuses what only another operating system reads as a separator or a root. For uploads. */
export function refuseForeignPath(path: string): void {
  if (path.includes('\\')) throw new ArchiveRefused('path_backslash')
  if (/^[a-zA-Z]:/.test(path)) throw new ArchiveRefused('path_drive')
}

/** Refuses whiteout names, which delete files of lower layers (OCI image layer specification, Whiteouts). */
export function refuseWhiteout(path: string): void {
  if (path.startsWith('.wh.') || path.includes('/.wh.')) throw new ArchiveRefused('image_whiteout')
}

/**
 * Parses the target of a symbolic link that stays inside the tree: some `../`, then names only. A `..` after a name is
 * refused, because after a link it would lead elsewhere; and since no entry lies below a link, the
 * leading `..` count real folders. So every such link stays inside, also through chains of links.
 */
export function parseLinkTarget(target: Buffer, linkPath: string, bounds: PathBounds): string {
  let text = decodeName(target, bounds.maxPathBytes)
  refuseForeignPath(text)
  if (text.startsWith('/')) throw new ArchiveRefused('link_absolute')
  if (text.length > 1 && text.endsWith('/')) text = text.slice(0, -1)
  if (text === '.') return text
  if (text.startsWith('./')) text = text.slice(2)
  const segments = text.split('/')
  const ups = segments.findIndex((segment) => segment !== '..')
  const upCount = ups === -1 ? segments.length : ups
  if (upCount > linkPath.split('/').length - 1) throw new ArchiveRefused('link_escapes')
  for (const segment of segments.slice(upCount)) {
    if (segment === '' || segment === '.' || segment === '..') throw new ArchiveRefused('link_not_normal')
  }
  return text
}

function checkSegment(segment: string): void {
  if (segment === '..') throw new ArchiveRefused('path_escapes')
  if (segment === '' || segment === '.') throw new ArchiveRefused('path_not_normal')
  if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) throw new ArchiveRefused('path_too_long')
}
