/** Bytes of an object from `start` up to `end`, which is not among them. */
export interface ByteRange {
  start: number
  end: number
}

const single = /^bytes=(\d{0,16})-(\d{0,16})$/

/**
 * What a `Range` header asks for of so many bytes (RFC 9110, section 14). Undefined: all of it, as for a header of
 * another form or with several ranges, which nobody has to serve. `none`: no byte of the object is in it.
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
