/*
 * Reads one table of a possibly hostile SQLite file (sqlite.org/fileformat2.html). Each page is visited once, so cycles and
 * shared pages cannot make the read endless or large. Reading past the end of a page or of the file throws a
 * RangeError.
 */

const magic = 'SQLite format 3\0'
const interiorTable = 0x05
const leafTable = 0x0d
const maxDepth = 20
/** The schema is a table whose root is the first page, after the file header. */
const schemaPage = 1
const fileHeaderBytes = 100

type Value = Buffer | number | undefined

/** The rows of table `name`: blobs and texts as bytes, small integers as numbers, everything else as undefined. */
export function* rowsOf(file: Buffer, name: string): Generator<Value[]> {
  const pages = new Pages(file)
  for (const [type, ownName, , rootPage] of pages.records(schemaPage)) {
    if (String(type) !== 'table' || String(ownName) !== name) continue
    if (typeof rootPage !== 'number') throw new RangeError('a table without a page')
    yield* pages.records(rootPage)
  }
}

class Pages {
  readonly #file: Buffer
  readonly #pageBytes: number
  /** Bytes of a page without the reserved bytes at its end. */
  readonly #usableBytes: number
  readonly #seen = new Set<number>()
  /** Rows may not share bytes, so together they are no larger than the file. */
  #leftBytes: number

  constructor(file: Buffer) {
    const storedPageBytes = file.readUInt16BE(16)
    this.#file = file
    this.#leftBytes = file.length
    this.#pageBytes = storedPageBytes === 1 ? 65_536 : storedPageBytes
    this.#usableBytes = this.#pageBytes - file.readUInt8(20)
    const isSound = file.toString('latin1', 0, magic.length) === magic && this.#pageBytes >= 512
    if (!isSound || this.#usableBytes < 480) throw new RangeError('no database')
  }

  *records(number: number, depth = 0): Generator<Value[]> {
    if (depth > maxDepth) throw new RangeError('a tree too deep')
    const page = this.#page(number)
    const at = number === schemaPage ? fileHeaderBytes : 0
    const type = page.readUInt8(at)
    if (type !== interiorTable && type !== leafTable) throw new RangeError('no page of a table')
    const cells = page.readUInt16BE(at + 3)
    const pointers = at + (type === leafTable ? 8 : 12)
    for (let cell = 0; cell < cells; cell += 1) {
      const cellAt = page.readUInt16BE(pointers + 2 * cell)
      if (type === leafTable) yield valuesOf(this.#payload(page, cellAt))
      else yield* this.records(page.readUInt32BE(cellAt), depth + 1)
    }
    if (type === interiorTable) yield* this.records(page.readUInt32BE(at + 8), depth + 1)
  }

  #page(number: number): Buffer {
    const start = (number - 1) * this.#pageBytes
    const isThere = number >= 1 && start + this.#pageBytes <= this.#file.length
    if (!isThere || this.#seen.has(number)) throw new RangeError('a page that is missing, or in two places')
    this.#seen.add(number)
    return this.#file.subarray(start, start + this.#usableBytes)
  }

  /** Payload that does not fit into a cell continues in a chain of overflow pages. */
  #payload(page: Buffer, cellAt: number): Buffer {
    const [byteSize, afterSize] = varint(page, cellAt)
    const [, start] = varint(page, afterSize)
    this.#leftBytes -= byteSize
    if (this.#leftBytes < 0) throw new RangeError('rows that share bytes')
    const local = this.#localBytes(byteSize)
    const parts = [page.subarray(start, start + local)]
    let left = byteSize - local
    for (let next = left > 0 ? page.readUInt32BE(start + local) : 0; left > 0; ) {
      const overflow = this.#page(next)
      const part = overflow.subarray(4, 4 + left)
      parts.push(part)
      left -= part.length
      next = overflow.readUInt32BE(0)
    }
    return Buffer.concat(parts)
  }

  #localBytes(byteSize: number): number {
    const most = this.#usableBytes - 35
    if (byteSize <= most) return byteSize
    const least = Math.trunc(((this.#usableBytes - 12) * 32) / 255) - 23
    const fitting = least + ((byteSize - least) % (this.#usableBytes - 4))
    return fitting <= most ? fitting : least
  }
}

/** The number that starts at `at`, and where it ends. */
function varint(bytes: Buffer, at: number): [value: number, end: number] {
  let value = 0
  for (let end = at; ; end += 1) {
    const byte = bytes.readUInt8(end)
    value = value * 128 + (byte & 0x7f)
    if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('a number too large')
    if (byte < 0x80) return [value, end + 1]
  }
}

const integerBytes = [0, 1, 2, 3, 4, 6, 8]

function valuesOf(record: Buffer): Value[] {
  const [headerBytes, first] = varint(record, 0)
  const values: Value[] = []
  let bodyAt = headerBytes
  for (let at = first; at < headerBytes; ) {
    const [type, end] = varint(record, at)
    at = end
    const byteSize = type >= 12 ? Math.trunc((type - 12) / 2) : (integerBytes[type] ?? (type === 7 ? 8 : 0))
    if (bodyAt + byteSize > record.length) throw new RangeError('a value past its record')
    const body = record.subarray(bodyAt, bodyAt + byteSize)
    bodyAt += byteSize
    if (type >= 12) values.push(body)
    else if (type >= 8) values.push(type - 8)
    else values.push(type >= 1 && type <= 5 ? body.readIntBE(0, byteSize) : undefined)
  }
  return values
}
