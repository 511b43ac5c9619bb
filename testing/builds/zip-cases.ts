import { deflateRawSync } from 'node:zlib'
import {
  tar,
  type ZipEndFields,
  type ZipFields,
  zip,
  zip64Locator,
} from '../../reader/formats/archive-fixtures.ts'

const content = 'hello hello hello'
export const extraField = (id: number, body: Buffer) => {
  const field = Buffer.alloc(4)
  field.writeUInt16LE(id, 0)
  field.writeUInt16LE(body.length, 2)
  return Buffer.concat([field, body])
}
const none = Buffer.alloc(0)
/** Numbers of 64 bits, as in a ZIP64 field. */
export const wide = (...values: number[]) => {
  const bytes = Buffer.alloc(8 * values.length)
  for (const [index, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), 8 * index)
  return bytes
}
const unicodePath = (path: string) =>
  extraField(0x7075, Buffer.concat([Buffer.from([1, 0, 0, 0, 0]), Buffer.from(path)]))
const descriptor = (...words: number[]) => {
  const bytes = Buffer.alloc(4 * words.length)
  words.forEach((word, index) => {
    bytes.writeUInt32LE(word, 4 * index)
  })
  return bytes
}

export const hostileZipEntries: [name: string, entries: ZipFields[], slug: string][] = [
  ['a path that leaves the tree', [{ name: '../x' }], 'path_escapes'],
  ['an absolute path', [{ name: '/x' }], 'path_absolute'],
  ['a drive', [{ name: 'C:/x' }], 'path_drive'],
  ['a backslash', [{ name: '..\\x' }], 'path_backslash'],
  ['a NUL', [{ name: 'a\0b' }], 'path_control_character'],
  ['a name that is not UTF-8', [{ name: Buffer.from([0xff]) }], 'path_not_utf8'],
  ['an empty name', [{ name: '' }], 'path_empty'],
  ['a path twice', [{ name: 'a' }, { name: 'a' }], 'duplicate_path'],
  ['a file that is also a folder', [{ name: 'a' }, { name: 'a/', unixMode: 0o40755 }], 'duplicate_path'],
  [
    'an entry below a link',
    [{ name: 'a', unixMode: 0o120777, content: 'b' }, { name: 'a/x' }],
    'entry_below_link',
  ],
  ['a link out of the tree', [{ unixMode: 0o120777, content: '../x' }], 'link_escapes'],
  ['a link to an absolute path', [{ unixMode: 0o120777, content: '/etc' }], 'link_absolute'],
  ['a link without a target', [{ unixMode: 0o120777, content: '' }], 'path_empty'],
  ['a link with a target without end', [{ unixMode: 0o120777, content: 'a'.repeat(2000) }], 'path_too_long'],
  ['a device', [{ unixMode: 0o020644 }], 'device_entry'],
  ['a FIFO', [{ unixMode: 0o010644 }], 'device_entry'],
  ['a socket', [{ unixMode: 0o140644 }], 'device_entry'],
  ['a folder by mode only', [{ name: 'a', unixMode: 0o40755 }], 'header_disagrees'],
  ['a folder by name only', [{ name: 'a/', unixMode: 0o100644 }], 'header_disagrees'],
  ['a folder by attribute only', [{ name: 'a', unixMode: 0, attributes: 0x10 }], 'header_disagrees'],
  ['a folder with content', [{ name: 'a/', unixMode: 0o40755, content }], 'header_disagrees'],
  ['a link named as a folder', [{ name: 'a/', unixMode: 0o120777, content: 'b' }], 'header_disagrees'],
  ['another name in the local header', [{ local: { name: 'evil' } }], 'header_disagrees'],
  ['another size in the local header', [{ content, local: { size: 3 } }], 'header_disagrees'],
  [
    'another compressed size in the local header',
    [{ content, local: { compressedSize: 3 } }],
    'header_disagrees',
  ],
  ['another checksum in the local header', [{ content, local: { crc: 3 } }], 'header_disagrees'],
  ['another method in the local header', [{ content, local: { method: 0 } }], 'header_disagrees'],
  ['other flags in the local header', [{ content, local: { flags: 0x800 } }], 'header_disagrees'],
  ['a wrong checksum', [{ content, crc: 1 }], 'header_disagrees'],
  ['a size smaller than the content', [{ content, size: 3 }], 'header_disagrees'],
  ['a size larger than the content', [{ content, size: 300 }], 'header_disagrees'],
  ['a stored size unlike the compressed size', [{ content, isStored: true, size: 3 }], 'header_disagrees'],
  ['a compressed size smaller than the stream', [{ content, compressedSize: 3 }], 'archive_truncated'],
  [
    'bytes after the deflate stream',
    [{ content, compressed: Buffer.concat([deflateRawSync(content), Buffer.from('hidden')]) }],
    'header_disagrees',
  ],
  [
    'a second deflate stream',
    [{ content, compressed: Buffer.concat([deflateRawSync(content), deflateRawSync('more')]) }],
    'header_disagrees',
  ],
  ['broken content', [{ content, compressed: Buffer.alloc(20, 0xff) }], 'archive_corrupt'],
  ['cut content', [{ content, compressed: deflateRawSync(content).subarray(0, 4) }], 'archive_truncated'],
  ['encryption', [{ content, flags: 1 }], 'encrypted_entry'],
  ['strong encryption', [{ content, flags: 0x41 }], 'encrypted_entry'],
  ['masked headers', [{ content, flags: 0x2000 }], 'encrypted_entry'],
  ['patch data', [{ content, flags: 0x20 }], 'zip_feature_unsupported'],
  ['an unknown method', [{ content, method: 12 }], 'zip_feature_unsupported'],
  ['a future version of the format', [{ content, version: 64 }], 'zip_feature_unsupported'],
  ['AES', [{ content, method: 99 }], 'zip_feature_unsupported'],
  ['another disk', [{ content, disk: 1 }], 'zip_feature_unsupported'],
  ['a ZIP64 size without a field', [{ content, size: 0xffffffff }], 'header_disagrees'],
  [
    'a ZIP64 field in addition to plain sizes',
    [{ content, extra: extraField(1, wide(17, 17)) }],
    'header_disagrees',
  ],
  [
    'a ZIP64 size unlike the local header',
    [{ content, size: 0xffffffff, extra: extraField(1, wide(18)), local: { size: 17, extra: none } }],
    'header_disagrees',
  ],
  [
    'a ZIP64 field that is too short',
    [{ content, size: 0xffffffff, extra: extraField(1, Buffer.alloc(4)) }],
    'header_disagrees',
  ],
  [
    'a ZIP64 field that is too long',
    [{ content, size: 0xffffffff, extra: extraField(1, wide(17, 17)) }],
    'header_disagrees',
  ],
  [
    'two ZIP64 fields',
    [{ content, size: 0xffffffff, extra: Buffer.concat([extraField(1, wide(17)), extraField(1, wide(18))]) }],
    'header_disagrees',
  ],
  [
    'a ZIP64 size above all bounds',
    [{ content, size: 0xffffffff, extra: extraField(1, Buffer.alloc(8, 0xff)) }],
    'header_disagrees',
  ],
  [
    'one ZIP64 size in the local header',
    [{ content, local: { size: 0xffffffff, extra: extraField(1, wide(17)) } }],
    'header_disagrees',
  ],
  [
    'other ZIP64 sizes in the local header',
    [
      {
        content,
        isStored: true,
        local: { size: 0xffffffff, compressedSize: 0xffffffff, extra: extraField(1, wide(18, 17)) },
      },
    ],
    'header_disagrees',
  ],
  [
    'a ZIP64 offset elsewhere',
    [{ content, offset: 0xffffffff, extra: extraField(1, wide(5)), local: { extra: none } }],
    'entries_overlap_or_gap',
  ],
  ['another name in an extra field', [{ content, extra: unicodePath('evil') }], 'header_disagrees'],
  ['an extra field past its end', [{ content, extra: Buffer.from([9, 9, 99, 0, 1]) }], 'header_disagrees'],
  ['an extra field cut short', [{ content, extra: Buffer.from([9, 9]) }], 'header_disagrees'],
  [
    'bytes between entries',
    [{ content, after: Buffer.from('hidden') }, { name: 'b' }],
    'entries_overlap_or_gap',
  ],
  ['bytes before the directory', [{ content, after: Buffer.from('hidden') }], 'entries_overlap_or_gap'],
  [
    'two entries on the same bytes',
    [{ content }, { name: 'b', content, offset: 0 }],
    'entries_overlap_or_gap',
  ],
  [
    'an entry inside another',
    [
      { content: zip([{ name: 'b' }]), isStored: true },
      { name: 'b', offset: 34 },
    ],
    'entries_overlap_or_gap',
  ],
  ['an offset past the end', [{ content, offset: 100_000 }], 'entries_overlap_or_gap'],
  [
    'a descriptor with another checksum',
    [{ content, flags: 8, after: descriptor(0x08074b50, 1, 9, 17) }],
    'header_disagrees',
  ],
  ['a descriptor that is missing', [{ content, flags: 8 }], 'archive_truncated'],
  [
    'a descriptor in ZIP64 size',
    [{ content: '', isStored: true, flags: 8, after: descriptor(0x08074b50, 0, 0, 0, 0, 0) }],
    'entries_overlap_or_gap',
  ],
]

/** Another entry follows it. */
export const large = 'a large file '.repeat(20_000)
const largeDeflated = deflateRawSync(large)
/** Large files are inflated in chunks. */
export const hostileLargeEntries: [name: string, entry: ZipFields, slug: string][] = [
  ['a wrong checksum', { crc: 1 }, 'header_disagrees'],
  ['a size smaller than the content', { size: 70_000 }, 'header_disagrees'],
  ['a size larger than the content', { size: large.length + 1 }, 'header_disagrees'],
  ['a compressed size smaller than the stream', { compressedSize: 100 }, 'archive_truncated'],
  [
    'bytes after the deflate stream',
    { compressed: Buffer.concat([largeDeflated, Buffer.alloc(5000, 65)]) },
    'header_disagrees',
  ],
  [
    'a second deflate stream',
    { compressed: Buffer.concat([largeDeflated, largeDeflated]) },
    'header_disagrees',
  ],
  ['broken content', { compressed: Buffer.alloc(100_000, 0xff) }, 'archive_corrupt'],
  ['cut content', { compressed: largeDeflated.subarray(0, -10) }, 'archive_truncated'],
]

export const one: ZipFields[] = [{ content }]
export const hostileZipEnds: [name: string, end: ZipEndFields, slug: string][] = [
  ['more entries than there are', { entryCount: 2 }, 'header_disagrees'],
  ['fewer entries than there are', { entryCount: 0 }, 'header_disagrees'],
  ['two counts', { entryCount: 1, countOnDisk: 2 }, 'zip_feature_unsupported'],
  ['a part of a split archive', { disk: 1 }, 'zip_feature_unsupported'],
  ['a ZIP64 count without its record', { entryCount: 0xffff }, 'header_disagrees'],
  ['a ZIP64 directory without its record', { directoryOffset: 0xffffffff }, 'header_disagrees'],
  ['a ZIP64 locator without its record', { before: zip64Locator(0) }, 'header_disagrees'],
  ['a ZIP64 locator with a wrong offset', { zip64: { recordOffset: 7 } }, 'header_disagrees'],
  ['a ZIP64 locator of a split archive', { zip64: { disks: 2 } }, 'header_disagrees'],
  ['a ZIP64 record of a split archive', { zip64: { disk: 1 } }, 'zip_feature_unsupported'],
  ['a ZIP64 record with two counts', { zip64: { countOnDisk: 2 } }, 'zip_feature_unsupported'],
  ['a ZIP64 record with an extensible part', { zip64: { recordSize: 60 } }, 'zip64_unsupported'],
  ['a ZIP64 count unlike the plain one', { zip64: { entryCount: 2, countOnDisk: 2 } }, 'header_disagrees'],
  ['a ZIP64 directory unlike the plain one', { zip64: { directoryOffset: 1 } }, 'header_disagrees'],
  [
    'a ZIP64 directory elsewhere',
    { directoryOffset: 0xffffffff, zip64: { directoryOffset: 1 } },
    'entries_overlap_or_gap',
  ],
  ['bytes before the ZIP64 record', { before: Buffer.from('hidden'), zip64: {} }, 'entries_overlap_or_gap'],
  ['bytes before the end record', { before: Buffer.from('hidden') }, 'entries_overlap_or_gap'],
  ['a directory elsewhere', { directoryOffset: 0 }, 'entries_overlap_or_gap'],
  ['a directory that is too small', { directoryBytes: 10 }, 'entries_overlap_or_gap'],
  ['bytes after the end', { after: Buffer.from('x') }, 'trailing_data'],
  [
    'a second end record in the comment',
    { comment: `PK\u0005\u0006${'\0'.repeat(18)}` },
    'entries_overlap_or_gap',
  ],
  ['a second archive after the first', { after: zip([{ name: 'b' }]) }, 'entries_overlap_or_gap'],
]

const whole = zip(one)
export const hostileZipBytes: [name: string, archive: Buffer, slug: string][] = [
  ['no bytes', Buffer.alloc(0), 'archive_truncated'],
  ['a tar', tar({}), 'archive_format'],
  ['a missing end', whole.subarray(0, -22), 'archive_format'],
  ['a cut end', whole.subarray(0, -4), 'archive_truncated'],
  [
    'bytes before the first entry',
    Buffer.concat([Buffer.from('#!/bin/sh\n'), whole]),
    'entries_overlap_or_gap',
  ],
  ['a missing start', whole.subarray(10), 'entries_overlap_or_gap'],
]
