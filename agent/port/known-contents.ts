/** Bytes of a file that the caller has: a collected folder then has their digest in their place. */
export interface KnownContent {
  byteSize: number
  /** `sha256:` and the digits. */
  digest: string
}

/** Contents that a start may name. */
export const knownContentsMax = 32_768

const sizeBytes = 8
export const digestBytes = 32
export const knownRecordBytes = sizeBytes + digestBytes

/** Records of 8 bytes of size, big endian, and 32 of digest, in the order of their bytes: native/shim/collect/known.c searches them. */
export function knownRecords(contents: readonly KnownContent[]): Buffer {
  const records = contents.map(({ byteSize, digest }) => {
    const record = Buffer.alloc(knownRecordBytes)
    record.writeBigUInt64BE(BigInt(byteSize))
    digestOf(digest).copy(record, sizeBytes)
    return record
  })
  return Buffer.concat(records.sort((a, b) => a.compare(b)))
}

/** The digest as bytes. */
export const digestOf = (digest: string): Buffer => Buffer.from(digest.slice('sha256:'.length), 'hex')
