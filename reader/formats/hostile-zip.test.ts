import { describe, expect, it } from 'vitest'
import {
  extraField,
  hostileLargeEntries,
  hostileZipBytes,
  hostileZipEnds,
  hostileZipEntries,
  large,
  one,
} from '../../testing/builds/zip-cases.ts'
import { refusalOf, zip } from './archive-fixtures.ts'

describe('a hostile zip', () => {
  it.each(hostileZipEntries)('is refused for %s', async (_name, entries, slug) => {
    expect(await refusalOf(zip(entries), 'zip')).toBe(slug)
  })

  it.each(hostileLargeEntries)('is refused for a large file with %s', async (_name, entry, slug) => {
    expect(await refusalOf(zip([{ content: large, ...entry }, { name: 'b' }]), 'zip')).toBe(slug)
    expect(await refusalOf(zip([{ content: large }, { name: 'b' }]), 'zip')).toBe('accepted')
  })

  it.each(hostileZipEnds)('is refused for %s', async (_name, end, slug) => {
    expect(await refusalOf(zip(one, end), 'zip')).toBe(slug)
  })

  it.each(hostileZipBytes)('is refused for %s', async (_name, archive, slug) => {
    expect(await refusalOf(archive, 'zip')).toBe(slug)
  })

  it('is refused when it declares or inflates to too much', async () => {
    const bomb = zip([{ content: Buffer.alloc(8 * 1024 ** 2) }])
    expect(await refusalOf(bomb, 'zip', { ratioFloorBytes: 1024 ** 2 })).toBe('archive_ratio')
    expect(await refusalOf(bomb, 'zip', { maxUnpackedBytes: 1024 ** 2 })).toBe('archive_too_large')
    expect(await refusalOf(bomb, 'zip')).toBe('accepted')
    const lying = zip([{ content: Buffer.alloc(8 * 1024 ** 2), size: 100 }])
    expect(await refusalOf(lying, 'zip', { maxUnpackedBytes: 1024 ** 2 })).toBe('header_disagrees')
  })

  it('is refused for too many entries or too long a directory', async () => {
    const many = zip(Array.from({ length: 20 }, (_, index) => ({ name: `f${index}` })))
    expect(await refusalOf(many, 'zip', { maxEntries: 20 })).toBe('accepted')
    expect(await refusalOf(many, 'zip', { maxEntries: 19 })).toBe('archive_too_many_entries')
    const stuffed = zip([{ extra: extraField(9, Buffer.alloc(5000)) }])
    expect(await refusalOf(stuffed, 'zip', { maxNamesBytes: 1000 })).toBe('archive_names_too_large')
  })
})
