import { execFileSync } from 'node:child_process'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { chunksOf, pax, paxRecord, type TarFields, tar } from '../formats/archive-fixtures.ts'
import { ArchiveRefused } from '../formats/archive-refused.ts'
import { checkFlatImage, flatImageBounds } from './flat-image.ts'

const check = (image: Buffer, bounds = {}, chunkBytes = 777) =>
  checkFlatImage(Readable.from(chunksOf(image, chunkBytes)), { ...flatImageBounds, ...bounds })

const refusalOf = async (image: Buffer, bounds = {}): Promise<string> => {
  try {
    await check(image, bounds)
  } catch (error) {
    if (error instanceof ArchiveRefused) return error.slug
    throw error
  }
  return 'accepted'
}

const link = (name: string, linkName: string): TarFields => ({ name, linkName, type: '2' })
const hardLink = (name: string, linkName: string): TarFields => ({ name, linkName, type: '1' })
const folder = (name: string): TarFields => ({ name, type: '5' })

const refused: [name: string, entries: TarFields[], slug: string][] = [
  ['a device', [{ name: 'x', type: '3' }], 'device_entry'],
  ['a device in /dev', [folder('dev'), { name: 'dev/null', type: '3' }], 'device_entry'],
  ['a FIFO', [{ name: 'x', type: '6' }], 'device_entry'],
  ['a path that leaves the image', [{ name: '../x' }], 'path_escapes'],
  ['an absolute path', [{ name: '/x' }], 'path_absolute'],
  ['an entry below a link', [link('a', '/etc'), { name: 'a/passwd' }], 'entry_below_link'],
  ['an entry below a link that comes later', [{ name: 'a/passwd' }, link('a', '/etc')], 'entry_below_link'],
  ['a path twice', [{ name: 'a' }, link('a', '/x')], 'duplicate_path'],
  ['a hard link to nothing', [hardLink('b', 'a')], 'hard_link_target'],
  ['a hard link to a later file', [hardLink('b', 'a'), { name: 'a' }], 'hard_link_target'],
  ['a hard link to a folder', [folder('a'), hardLink('b', 'a')], 'hard_link_target'],
  ['a hard link to a later link', [hardLink('b', 'a'), link('a', '/etc')], 'hard_link_target'],
  ['a hard link to itself', [hardLink('a', 'a')], 'hard_link_target'],
  ['a hard link through a link', [link('a', '/etc'), hardLink('b', 'a/passwd')], 'hard_link_target'],
  [
    'an entry below a hard link to a link',
    [link('a', '/etc'), hardLink('b', 'a'), { name: 'b/passwd' }],
    'entry_below_link',
  ],
  [
    'an entry below a hard link to a hard link to a link',
    [link('a', '/etc'), hardLink('b', 'a'), hardLink('c', 'b'), { name: 'c/passwd' }],
    'entry_below_link',
  ],
  [
    'an entry above a later hard link to a link',
    [link('a', '/etc'), { name: 'b/passwd' }, hardLink('b', 'a')],
    'entry_below_link',
  ],
  ['/tmp as a hard link to a link', [link('a', '/etc'), hardLink('tmp', 'a')], 'image_path_reserved'],
  ['a hard link out of the image', [hardLink('b', '../a')], 'path_escapes'],
  ['a hard link to an absolute path', [hardLink('b', '/etc/shadow')], 'path_absolute'],
  ['/dev as a link', [link('dev', '/tmp')], 'image_path_reserved'],
  ['/proc as a link', [link('./proc', 'etc')], 'image_path_reserved'],
  ['/sys as a file', [{ name: 'sys' }], 'image_path_reserved'],
  ['/run as a link', [link('run', '/var/run')], 'image_path_reserved'],
  ['/tmp as a link', [link('tmp', '/var/tmp')], 'image_path_reserved'],
  ['/workspace as a link', [link('workspace', '/')], 'image_path_reserved'],
  ['/workspace as a hard link', [{ name: 'a' }, hardLink('workspace', 'a')], 'image_path_reserved'],
  ['a file in /proc', [folder('proc'), { name: 'proc/x' }], 'image_path_reserved'],
  ['a link in /dev', [link('dev/fd', '/proc/self/fd')], 'image_path_reserved'],
  ['a file deep in /sys', [{ name: 'sys/a/b' }], 'image_path_reserved'],
  ['/.sandbox', [folder('.sandbox')], 'image_path_reserved'],
  ['something in /.sandbox', [{ name: '.sandbox/busybox' }], 'image_path_reserved'],
  ['a whiteout', [{ name: 'etc/.wh.passwd' }], 'image_whiteout'],
  ['an opaque whiteout', [{ name: '.wh..wh..opq' }], 'image_whiteout'],
  [
    'an overlay redirect',
    [pax(paxRecord('SCHILY.xattr.trusted.overlay.redirect', '/x')), folder('a')],
    'image_overlay_attribute',
  ],
  [
    'a user overlay attribute',
    [pax(paxRecord('SCHILY.xattr.user.overlay.opaque', 'y')), folder('a')],
    'image_overlay_attribute',
  ],
  ['a sparse file', [pax(paxRecord('GNU.sparse.size', '9')), {}], 'sparse_entry'],
  ['a line feed in a link', [link('a', 'b\nc')], 'path_control_character'],
  ['a wrong size', [{ content: 'x'.repeat(600), size: 3 }], 'header_disagrees'],
]

describe('the check of a flat image', () => {
  it.each(refused)('refuses %s', async (_name, entries, slug) => {
    expect(await refusalOf(tar(...entries))).toBe(slug)
  })

  it('accepts the entries of an image and counts them', async () => {
    const image = tar(
      folder('./'),
      folder('./dev'),
      folder('dev/pts'),
      folder('proc'),
      folder('run'),
      { name: 'run/lock', content: 'x' },
      { name: 'bin/perl', content: 'perl', mode: 0o4755 },
      hardLink('bin/perl5', 'bin/perl'),
      hardLink('./bin/perl6', './bin/perl5'),
      link('var/run', '/run'),
      link('lib/up', '../../../../etc'),
      hardLink('lib/up2', 'lib/up'),
      { name: 'lib/systemd/system-cryptsetup\\x2d.slice', content: 'unit' },
      pax(paxRecord('SCHILY.xattr.security.capability', 'cap')),
      { name: 'bin/ping', content: 'ping' },
    )
    for (const chunkBytes of [100, 512, 65_536]) {
      expect(await check(image, {}, chunkBytes)).toEqual({ unpackedBytes: 13, entries: 13 })
    }
  })

  it('accepts a tar of a real folder', async () => {
    const image = execFileSync('tar', [
      'c',
      '--numeric-owner',
      '-C',
      '/etc',
      './apt',
      './default',
      './alternatives',
    ])
    expect((await check(image)).entries).toBeGreaterThan(10)
  })

  it('refuses an image that is truncated, has trailing data or exceeds a bound', async () => {
    const image = tar({ name: 'a', content: 'x'.repeat(5000) }, { name: 'b' })
    expect(await refusalOf(image.subarray(0, 3000))).toBe('archive_truncated')
    expect(await refusalOf(Buffer.alloc(0))).toBe('archive_truncated')
    expect(await refusalOf(Buffer.concat([image, Buffer.from('x')]))).toBe('trailing_data')
    expect(await refusalOf(image, { maxBytes: 4000 })).toBe('archive_too_large')
    expect(await refusalOf(image, { maxEntries: 1 })).toBe('archive_too_many_entries')
  })

  it('fails with the error of the source', async () => {
    const source = Readable.from(
      (async function* () {
        yield tar({}).subarray(0, 512)
        throw new Error('the builder is gone')
      })(),
    )
    await expect(checkFlatImage(source)).rejects.toThrow('the builder is gone')
  })
})
