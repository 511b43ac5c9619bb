/** Text that fits a quoted header value: printable ASCII without quote, backslash, percent sign and slash. */
const unsafeAscii = /[^\x20-\x7e]|["\\%/]/g
const fallbackName = 'download'
const nameMaxLength = 150

/**
 * `Content-Disposition` of a download (RFC 6266): an ASCII form that any client reads and, if needed, the exact name in
 * UTF-8 (RFC 8187). Only the last part of a path is used, and no character in it can end the header or name a folder.
 */
export function attachment(path: string): string {
  const name = nameOf(path)
  const plain = `attachment; filename="${name.replaceAll(unsafeAscii, '_')}"`
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, percentEncode)
  return exact === name ? plain : `${plain}; filename*=UTF-8''${exact}`
}

function nameOf(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1).replaceAll(/\p{C}/gu, '_')
  // Cut between characters, not inside one that takes two units.
  const [cut = ''] = new RegExp(`^.{0,${nameMaxLength}}`, 'su').exec(last) ?? []
  const name = cut.replace(/^[. ]+/, '').trimEnd()
  return name === '' ? fallbackName : name
}

const percentEncode = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

/** Bytes of an object from `start` (inclusive) to `end` (exclusive). */
export interface ByteRange {
  start: number
  end: number
}

const single = /^bytes=(\d{0,16})-(\d{0,16})$/

/**
 * Parses a `Range` header for an object of `byteSize` bytes (RFC 9110, section 14). Undefined: send the whole object; a
 * header of another form or with several ranges may be ignored. `none`: the range contains no byte of the object.
 */
export function rangeOf(header: string | undefined, byteSize: number): ByteRange | 'none' | undefined {
  const [, first = '', last = ''] = single.exec(header?.replaceAll(/\s/g, '') ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') {
    const count = Math.min(Number(last), byteSize)
    return count === 0 ? 'none' : { start: byteSize - count, end: byteSize }
  }
  const start = Number(first)
  const end = last === '' ? byteSize : Math.min(Number(last) + 1, byteSize)
  if (last !== '' && Number(last) < start) return undefined
  return start >= byteSize ? 'none' : { start, end }
}
