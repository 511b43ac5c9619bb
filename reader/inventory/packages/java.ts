import { inflateRawSync } from 'node:zlib'
import type { InventoryMaker } from '../inventory-maker.ts'
import { lines } from './control-fields.ts'

/*
 * Maven writes `META-INF/maven/GROUP/ARTIFACT/pom.properties` into its archives, one for each packed
 * artifact. The zip directory is used as far as it is consistent; only these small files are
 * unpacked.
 */
const javaArchive = /\.(?:jar|war|ear)$/
const pomFile = /^META-INF\/maven\/[^/]+\/[^/]+\/pom\.properties$/
const propertyLine = /^(groupId|artifactId|version)=(\S{1,256})$/
const maxPomBytes = 16 * 1024
const maxEntries = 100_000
const endBytes = 22
const maxCommentBytes = 0xffff
const directoryHeaderBytes = 46
const localHeaderBytes = 30

export const isJavaArchive = (path: string): boolean => javaArchive.test(path)

export function readJavaArchive(content: Buffer, path: string, maker: InventoryMaker): void {
  try {
    for (const entry of pomEntries(content)) {
      const values = new Map<string, string>()
      for (const line of lines(unpack(content, entry))) {
        const [, key, value] = propertyLine.exec(line) ?? []
        if (key !== undefined && value !== undefined) values.set(key, value)
      }
      const [namespace = '', name = ''] = [values.get('groupId'), values.get('artifactId')]
      if (namespace === '') throw new RangeError('no group')
      maker.addPackage({ kind: 'maven', namespace, name, version: values.get('version') ?? '' }, path)
    }
  } catch (error) {
    if (!isMalformed(error)) throw error
    maker.addUnread({ path, reason: 'malformed' })
  }
}

/** Errors from reads past the end of the buffer, and from zlib for damaged or too large content. */
const isMalformed = (error: unknown): boolean =>
  error instanceof RangeError ||
  (error instanceof Error && 'code' in error && /^(?:Z_|ERR_)/.test(String(error.code)))

interface ZipEntry {
  compressedBytes: number
  isDeflated: boolean
  localHeaderAt: number
}

function* pomEntries(content: Buffer): Generator<ZipEntry> {
  const end = content.lastIndexOf('PK\x05\x06', content.length - endBytes, 'latin1')
  if (end === -1 || content.length - end - endBytes > maxCommentBytes) throw new RangeError('no directory')
  const count = Math.min(content.readUInt16LE(end + 10), maxEntries)
  let at = content.readUInt32LE(end + 16)
  for (let entry = 0; entry < count; entry += 1) {
    if (content.readUInt32LE(at) !== 0x02014b50) throw new RangeError('directory')
    const nameBytes = content.readUInt16LE(at + 28)
    const name = content.toString('utf8', at + directoryHeaderBytes, at + directoryHeaderBytes + nameBytes)
    if (pomFile.test(name)) {
      yield {
        compressedBytes: content.readUInt32LE(at + 20),
        isDeflated: content.readUInt16LE(at + 10) === 8,
        localHeaderAt: content.readUInt32LE(at + 42),
      }
    }
    at += directoryHeaderBytes + nameBytes + content.readUInt16LE(at + 30) + content.readUInt16LE(at + 32)
  }
}

function unpack(content: Buffer, { localHeaderAt: at, compressedBytes, isDeflated }: ZipEntry): Buffer {
  const start = at + localHeaderBytes + content.readUInt16LE(at + 26) + content.readUInt16LE(at + 28)
  if (compressedBytes > maxPomBytes) throw new RangeError('too large')
  const bytes = content.subarray(start, start + compressedBytes)
  return isDeflated ? inflateRawSync(bytes, { maxOutputLength: maxPomBytes }) : bytes
}
