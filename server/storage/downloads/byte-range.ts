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
