/*
 * rpm's ndb database format: slots with the location of each package's blob, in blocks of sixteen bytes. All
 * numbers are little-endian. The file may be hostile: the number of slots is bounded by the file's size, a blob
 * stays inside the bounds of its slot, and reading past the end throws a RangeError.
 */

const magics = { file: 'RpmP', slot: 'Slot', blob: 'BlbS' }
const pageBytes = 4096
const slotBytes = 16
/** The file header uses the first slots. */
const firstSlot = 2
const blockBytes = 16
const blobHeadBytes = 16

/** The blobs of all packages. */
export function* blobsOf(file: Buffer): Generator<Buffer> {
  expectMagic(file, 0, magics.file)
  const slots = (file.readUInt32LE(12) * pageBytes) / slotBytes
  let left = file.length
  for (let slot = firstSlot; slot < slots; slot += 1) {
    const at = slot * slotBytes
    expectMagic(file, at, magics.slot)
    const [packageNumber, block, blocks] = [4, 8, 12].map((field) => file.readUInt32LE(at + field))
    if (!packageNumber || block === undefined || blocks === undefined) continue
    const blob = blobAt(file, { at: block * blockBytes, packageNumber, maxBytes: blocks * blockBytes })
    // Blobs may not share bytes, so together they are no larger than the file.
    left -= blob.length
    if (left < 0) throw new RangeError('blobs that share bytes')
    yield blob
  }
}

interface BlobLocation {
  at: number
  packageNumber: number
  maxBytes: number
}

function blobAt(file: Buffer, { at, packageNumber, maxBytes }: BlobLocation): Buffer {
  expectMagic(file, at, magics.blob)
  const byteSize = file.readUInt32LE(at + 12)
  const end = at + blobHeadBytes + byteSize
  const isSound = file.readUInt32LE(at + 4) === packageNumber && blobHeadBytes + byteSize <= maxBytes
  if (!isSound || end > file.length) throw new RangeError('a blob that is not where its slot says')
  return file.subarray(at + blobHeadBytes, end)
}

function expectMagic(file: Buffer, at: number, magic: string): void {
  if (file.toString('latin1', at, at + magic.length) !== magic) throw new RangeError(`not at ${magic}`)
}
