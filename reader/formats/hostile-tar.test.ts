import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { hostileGzips, hostileTarBytes, hostileTarEntries } from '../../testing/builds/tar-cases.ts'
import { type ArchiveFormat, type ArchiveSource, contextBounds, readArchive } from './archive.ts'
import { refusalOf, tar } from './archive-fixtures.ts'

describe('a hostile tar', () => {
  it.each(hostileTarEntries)('is refused for %s', async (_name, entries, slug) => {
    expect(await refusalOf(tar(...entries), 'tar')).toBe(slug)
    expect(await refusalOf(gzipSync(tar(...entries)), 'tar.gz')).toBe(slug)
  })

  it.each(hostileTarBytes)('is refused for %s', async (_name, archive, slug) => {
    expect(await refusalOf(archive, 'tar')).toBe(slug)
  })

  it.each(hostileGzips)('in gzip is refused for %s', async (_name, archive, slug) => {
    expect(await refusalOf(archive, 'tar.gz')).toBe(slug)
  })

  it('is refused when it inflates to too many bytes', async () => {
    const bomb = gzipSync(tar({ content: Buffer.alloc(8 * 1024 ** 2) }))
    expect(await refusalOf(bomb, 'tar.gz', { ratioFloorBytes: 1024 ** 2 })).toBe('archive_ratio')
    expect(await refusalOf(bomb, 'tar.gz', { maxUnpackedBytes: 1024 ** 2 })).toBe('archive_too_large')
    expect(await refusalOf(bomb, 'tar.gz', { maxUnpackedBytes: 9 * 1024 ** 2 })).toBe('accepted')
  })

  it('is refused for endless zeros after its end', async () => {
    const bomb = gzipSync(Buffer.concat([tar({}), Buffer.alloc(8 * 1024 ** 2)]))
    expect(await refusalOf(bomb, 'tar.gz', { maxUnpackedBytes: 1024 ** 2 })).toBe('archive_too_large')
  })

  it('is refused for too many entries, including folders without an entry', async () => {
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

  it('passes on an error of the storage unchanged', async () => {
    const failing = (format: ArchiveFormat) => {
      const open = () => new Readable({ read: () => undefined }).destroy(new Error('disk on fire'))
      return readArchive({ byteSize: 512, open }, format).next()
    }
    for (const format of ['tar', 'tar.gz', 'zip'] as const) {
      await expect(failing(format)).rejects.toThrow('disk on fire')
    }
  })
})
