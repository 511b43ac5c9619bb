import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type ArchiveFormat, type ArchiveSource, contextBounds, readArchive } from './archive.ts'
import { pax, paxRecord, refusalOf, type TarFields, tar, tarEnd, tarEntry } from './archive-fixtures.ts'

const refusedEntries: [name: string, entries: TarFields[], slug: string][] = [
  ['a path that leaves the tree', [{ name: '../x' }], 'path_escapes'],
  ['a path that leaves the tree later', [{ name: 'a/../../x' }], 'path_escapes'],
  ['a path with .. that stays inside', [{ name: 'a/../b' }], 'path_escapes'],
  ['a folder named ..', [{ name: '..', type: '5' }], 'path_escapes'],
  ['an absolute path', [{ name: '/etc/passwd' }], 'path_absolute'],
  ['an absolute path behind ./', [{ name: './/etc/passwd' }], 'path_not_normal'],
  ['a drive', [{ name: 'C:/x' }], 'path_drive'],
  ['a drive-relative path', [{ name: 'c:x' }], 'path_drive'],
  ['a backslash', [{ name: 'a\\b' }], 'path_backslash'],
  ['an empty segment', [{ name: 'a//b' }], 'path_not_normal'],
  ['a dot segment', [{ name: 'a/./b' }], 'path_not_normal'],
  ['a file with a trailing slash', [{ name: 'a/' }], 'path_not_normal'],
  ['a file named .', [{ name: '.' }], 'path_not_normal'],
  ['a folder with two trailing slashes', [{ name: 'a//', type: '5' }], 'path_not_normal'],
  ['an empty name', [{ name: '' }], 'path_empty'],
  ['a line feed', [{ name: 'a\nb' }], 'path_control_character'],
  ['an escape sequence', [{ name: 'a\u001b[2Jb' }], 'path_control_character'],
  ['a C1 control', [{ name: 'a\u009bb' }], 'path_control_character'],
  ['a name that is no UTF-8', [{ name: Buffer.from([0x61, 0xff]) }], 'path_not_utf8'],
  ['an overlong slash', [{ name: Buffer.from([0x61, 0xc0, 0xaf, 0x62]) }], 'path_not_utf8'],
  ['a NUL in a PAX path', [pax(paxRecord('path', 'a\0b')), {}], 'path_control_character'],
  ['bytes behind a name', [{ name: 'a\0b' }], 'header_disagrees'],
  ['a very long path', [pax(paxRecord('path', `${'a/'.repeat(600)}b`)), {}], 'path_too_long'],
  ['a very long segment', [pax(paxRecord('path', 'a'.repeat(256))), {}], 'path_too_long'],
  ['a very deep path', [pax(paxRecord('path', `${'a/'.repeat(64)}b`)), {}], 'path_too_deep'],
  ['a path twice', [{ name: 'a' }, { name: 'a' }], 'duplicate_path'],
  ['a path twice, spelled differently', [{ name: 'a' }, { name: './a' }], 'duplicate_path'],
  [
    'a folder twice',
    [
      { name: 'a', type: '5' },
      { name: 'a/', type: '5' },
    ],
    'duplicate_path',
  ],
  ['a file that is also a folder', [{ name: 'a' }, { name: 'a', type: '5' }], 'duplicate_path'],
  ['an entry below a file', [{ name: 'a' }, { name: 'a/b' }], 'entry_below_file'],
  ['a file above an entry', [{ name: 'a/b' }, { name: 'a' }], 'entry_below_file'],
  ['an entry below a link', [{ name: 'a', type: '2', linkName: 'b' }, { name: 'a/x' }], 'entry_below_link'],
  ['a link above an entry', [{ name: 'a/b/c' }, { name: 'a', type: '2', linkName: 'x' }], 'entry_below_link'],
  ['a link to an absolute path', [{ type: '2', linkName: '/etc' }], 'link_absolute'],
  ['a link out of the tree', [{ type: '2', linkName: '../x' }], 'link_escapes'],
  ['a link out of the tree from a folder', [{ name: 'a/b', type: '2', linkName: '../../x' }], 'link_escapes'],
  [
    'a link that climbs behind a name',
    [{ name: 'a/b', type: '2', linkName: 'c/../../../x' }],
    'link_not_normal',
  ],
  ['a link that climbs through a link', [{ name: 'a/b', type: '2', linkName: 'up/..' }], 'link_not_normal'],
  ['a link with a backslash', [{ type: '2', linkName: '..\\x' }], 'path_backslash'],
  ['a link with a line feed', [{ type: '2', linkName: 'a\nb' }], 'path_control_character'],
  ['a link without a target', [{ type: '2' }], 'header_disagrees'],
  [
    'a PAX link out of the tree',
    [pax(paxRecord('linkpath', '../x')), { type: '2', linkName: 'ok' }],
    'link_escapes',
  ],
  [
    'a GNU long link out of the tree',
    [
      { type: 'K', content: '/etc\0' },
      { type: '2', linkName: 'ok' },
    ],
    'link_absolute',
  ],
  ['a GNU long name out of the tree', [{ type: 'L', content: '../x\0' }, {}], 'path_escapes'],
  ['a hard link', [{ name: 'a' }, { name: 'b', type: '1', linkName: 'a' }], 'hard_link'],
  ['a hard link to the host', [{ type: '1', linkName: '/etc/passwd' }], 'hard_link'],
  ['a character device', [{ type: '3' }], 'device_entry'],
  ['a block device', [{ type: '4' }], 'device_entry'],
  ['a FIFO', [{ type: '6' }], 'device_entry'],
  ['a contiguous file', [{ type: '7' }], 'unknown_entry_type'],
  ['a volume header', [{ type: 'V' }], 'unknown_entry_type'],
  ['a multi-volume part', [{ type: 'M' }], 'unknown_entry_type'],
  ['a dumped folder', [{ type: 'D' }], 'unknown_entry_type'],
  ['a type nobody knows', [{ type: 'Z' }], 'unknown_entry_type'],
  ['a GNU sparse file', [{ type: 'S', magic: 'ustar  \0' }], 'sparse_entry'],
  ['a PAX sparse file', [pax(paxRecord('GNU.sparse.major', '1')), {}], 'sparse_entry'],
  ['a PAX sparse size', [pax(paxRecord('GNU.sparse.realsize', '99999999999')), {}], 'sparse_entry'],
  ['a star sparse size', [pax(paxRecord('SCHILY.realsize', '9')), {}], 'sparse_entry'],
  ['a wrong checksum', [{ checksum: 1 }], 'bad_checksum'],
  ['an old tar without a magic', [{ magic: '' }], 'archive_format'],
  ['a size in binary', [{ patch: [124, '\x80\0\0\0\0\0\0\0\0\0\0\x05'] }], 'header_disagrees'],
  ['a negative size', [{ patch: [124, '-0000000001'] }], 'header_disagrees'],
  ['a size with rubbish', [{ patch: [124, '0000000000x'] }], 'header_disagrees'],
  ['a folder with content', [{ type: '5', content: 'x' }], 'header_disagrees'],
  ['a file with a link target', [{ linkName: 'x' }], 'header_disagrees'],
  ['a PAX size unlike the header', [pax(paxRecord('size', '600')), { content: 'x' }], 'header_disagrees'],
  ['a PAX size that is no number', [pax(paxRecord('size', '-1')), {}], 'pax_record'],
  ['a PAX key twice', [pax(paxRecord('path', 'a'), paxRecord('path', 'b')), {}], 'pax_record'],
  ['a PAX key nobody knows', [pax(paxRecord('hdrcharset', 'BINARY')), {}], 'pax_record'],
  ['a PAX record with a wrong length', [pax('99 path=a\n'), {}], 'pax_record'],
  ['a PAX record with a short length', [pax('8 path=abc\n'), {}], 'pax_record'],
  ['a PAX record without a key', [pax('5 =a\n'), {}], 'pax_record'],
  [
    'two PAX headers in a row',
    [pax(paxRecord('path', 'a')), pax(paxRecord('path', 'b')), {}],
    'header_disagrees',
  ],
  [
    'a GNU name and a PAX path',
    [{ type: 'L', content: 'a\0' }, pax(paxRecord('path', 'b')), {}],
    'header_disagrees',
  ],
  ['a PAX header at the end', [{}, pax(paxRecord('path', 'a'))], 'header_disagrees'],
  ['a global header in the middle', [{}, { ...pax(paxRecord('comment', 'x')), type: 'g' }], 'pax_record'],
  ['a global path', [{ ...pax(paxRecord('path', 'x')), type: 'g' }, {}], 'pax_record'],
  ['a huge PAX header', [pax(paxRecord('comment', 'x'.repeat(70_000))), {}], 'path_too_long'],
  ['content in the padding', [{ content: 'x', padding: 'hidden' }], 'header_disagrees'],
  ['a size smaller than the content', [{ content: 'x'.repeat(600), size: 10 }], 'header_disagrees'],
]

describe('a hostile tar', () => {
  it.each(refusedEntries)('is refused for %s', async (_name, entries, slug) => {
    expect(await refusalOf(tar(...entries), 'tar')).toBe(slug)
    expect(await refusalOf(gzipSync(tar(...entries)), 'tar.gz')).toBe(slug)
  })

  const file = tarEntry({ content: 'hello' })
  const refusedBytes: [name: string, archive: Buffer, slug: string][] = [
    ['no bytes', Buffer.alloc(0), 'archive_truncated'],
    ['text', Buffer.from('hello '.repeat(200)), 'archive_format'],
    ['half a header', file.subarray(0, 300), 'archive_truncated'],
    ['half a body', tarEntry({ content: 'x'.repeat(900) }).subarray(0, 700), 'archive_truncated'],
    ['no end', file, 'archive_truncated'],
    ['half an end', Buffer.concat([file, tarEnd.subarray(512)]), 'archive_truncated'],
    [
      'an entry between the end blocks',
      Buffer.concat([file, tarEnd.subarray(512), file, tarEnd]),
      'trailing_data',
    ],
    ['a second archive', Buffer.concat([file, tarEnd, tarEntry({ name: 'b' }), tarEnd]), 'trailing_data'],
    ['a byte behind the end', Buffer.concat([file, tarEnd, Buffer.from('x')]), 'trailing_data'],
    ['a size larger than the archive', tar({ content: 'x', size: 1e6 }), 'archive_truncated'],
  ]
  it.each(refusedBytes)('is refused for %s', async (_name, archive, slug) => {
    expect(await refusalOf(archive, 'tar')).toBe(slug)
  })

  const zipped = gzipSync(tar({ content: 'hello' }))
  const flip = (at: number) => {
    const copy = Buffer.from(zipped)
    copy.writeUInt8(copy.readUInt8(at) ^ 0xff, at)
    return copy
  }
  const refusedGzip: [name: string, archive: Buffer, slug: string][] = [
    ['no bytes', Buffer.alloc(0), 'archive_truncated'],
    ['no gzip', tar({}), 'archive_format'],
    ['a cut stream', zipped.subarray(0, -20), 'archive_truncated'],
    ['a cut trailer', zipped.subarray(0, -1), 'archive_truncated'],
    ['a second member', Buffer.concat([zipped, gzipSync(tar({ name: 'b' }))]), 'trailing_data'],
    ['an empty second member', Buffer.concat([zipped, gzipSync('')]), 'trailing_data'],
    ['a byte behind the member', Buffer.concat([zipped, Buffer.from('x')]), 'trailing_data'],
    ['zeros behind the member', Buffer.concat([zipped, Buffer.alloc(512)]), 'trailing_data'],
    ['a wrong checksum', flip(zipped.length - 8), 'archive_corrupt'],
    ['a wrong length', flip(zipped.length - 4), 'archive_corrupt'],
    ['reserved flags', flip(3), 'archive_format'],
    [
      'an endless name',
      Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]), Buffer.alloc(9000, 65)]),
      'archive_format',
    ],
    ['broken content', Buffer.concat([zipped.subarray(0, 10), Buffer.alloc(100, 0xff)]), 'archive_corrupt'],
  ]
  it.each(refusedGzip)('in gzip is refused for %s', async (_name, archive, slug) => {
    expect(await refusalOf(archive, 'tar.gz')).toBe(slug)
  })

  it('is refused when it inflates too far', async () => {
    const bomb = gzipSync(tar({ content: Buffer.alloc(8 * 1024 ** 2) }))
    expect(await refusalOf(bomb, 'tar.gz', { ratioFloorBytes: 1024 ** 2 })).toBe('archive_ratio')
    expect(await refusalOf(bomb, 'tar.gz', { maxUnpackedBytes: 1024 ** 2 })).toBe('archive_too_large')
    expect(await refusalOf(bomb, 'tar.gz', { maxUnpackedBytes: 9 * 1024 ** 2 })).toBe('accepted')
  })

  it('is refused for zeros without end behind its end', async () => {
    const bomb = gzipSync(Buffer.concat([tar({}), Buffer.alloc(8 * 1024 ** 2)]))
    expect(await refusalOf(bomb, 'tar.gz', { maxUnpackedBytes: 1024 ** 2 })).toBe('archive_too_large')
  })

  it('is refused for too many entries, folders without an entry included', async () => {
    const many = tar(...Array.from({ length: 20 }, (_, index) => ({ name: `f${index}` })))
    expect(await refusalOf(many, 'tar', { maxEntries: 20 })).toBe('accepted')
    expect(await refusalOf(many, 'tar', { maxEntries: 19 })).toBe('archive_too_many_entries')
    expect(await refusalOf(tar({ name: 'a/b/c/d' }), 'tar', { maxEntries: 3 })).toBe(
      'archive_too_many_entries',
    )
    expect(await refusalOf(many, 'tar', { maxNamesBytes: 30 })).toBe('archive_names_too_large')
  })

  it('is refused when reading it takes too long, also when the storage stalls', async () => {
    const stalled: ArchiveSource = { byteSize: 512, open: () => new Readable({ read: () => undefined }) }
    const reading = readArchive(stalled, 'tar', { ...contextBounds, timeoutMs: 20 }).next()
    await expect(reading).rejects.toMatchObject({ slug: 'archive_timeout' })
  })

  it('passes on a failure of the storage as it is', async () => {
    const failing = (format: ArchiveFormat) => {
      const open = () => new Readable({ read: () => undefined }).destroy(new Error('disk on fire'))
      return readArchive({ byteSize: 512, open }, format).next()
    }
    for (const format of ['tar', 'tar.gz', 'zip'] as const) {
      await expect(failing(format)).rejects.toThrow('disk on fire')
    }
  })
})
