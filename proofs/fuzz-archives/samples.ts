import { gzipSync } from 'node:zlib'
import { pax, paxRecord, tar, zip } from '../../reader/formats/archive-fixtures.ts'
import { mask16, mask32 } from '../../reader/formats/zip/zip64.ts'
import { extraField, wide } from '../../testing/builds/zip-cases.ts'
import type { Sample } from './mutate-archive.ts'

const dockerfile = {
  name: 'Dockerfile',
  content: 'FROM python:3.12 AS build\nRUN true\nFROM scratch\nCOPY --from=build /a /a\n',
}
const words = 'the same words again and again '.repeat(30)

/** Access and change times of GNU's incremental archives. */
const incrementalTimes: [number, string] = [345, '15301071737\0' + '15301071737\0']

const tars: Buffer[] = [
  tar(dockerfile),
  tar(
    { name: './', type: '5' },
    dockerfile,
    { name: 'a', type: '5' },
    { name: 'a/b', content: words, mode: 0o755 },
  ),
  tar(
    dockerfile,
    { name: 'a/b' },
    { name: 'a/link', type: '2', linkName: '../Dockerfile' },
    { name: 'c', content: 'c' },
  ),
  tar(
    pax(paxRecord('path', `${'long/'.repeat(30)}name`), paxRecord('mtime', '1.5')),
    { content: words },
    dockerfile,
  ),
  tar(
    { name: '././@LongLink', type: 'L', content: `${'l/'.repeat(60)}n\0` },
    { magic: 'ustar  \0', content: 'x' },
    dockerfile,
  ),
  tar({ ...pax(paxRecord('comment', 'a commit')), type: 'g' }, dockerfile, {
    name: 'name',
    prefix: 'prefix/of',
    content: words,
  }),
  tar(
    dockerfile,
    ...Array.from({ length: 12 }, (_, index) => ({
      name: `f${index}`,
      content: String(index).repeat(index * 60),
    })),
  ),
  tar(
    { name: '../../../../tmp/fuzz-canary' },
    { name: 'x', type: '2', linkName: '/tmp' },
    { name: 'x/fuzz-canary' },
  ),
  tar(
    { ...dockerfile, magic: '', type: '\0' },
    { name: 'd/', type: '\0', magic: '' },
    { name: 'd/link', type: '1', linkName: 'Dockerfile', magic: '' },
  ),
  tar(
    { name: 'd', type: 'D', magic: 'ustar  \0', content: 'Yf\0\0', patch: incrementalTimes },
    { name: 'd/f', magic: 'ustar  \0', content: words, patch: incrementalTimes },
    { ...dockerfile, magic: 'ustar  \0', patch: incrementalTimes },
  ),
  tar(
    { name: 'd', type: '5' },
    dockerfile,
    { name: 'd/a', content: words },
    { name: 'd', type: '5' },
    { name: 'b', type: '1', linkName: 'd/a' },
  ),
  tar({ name: 'x', type: '3' }, { name: 'y', type: '1', linkName: '/etc/passwd' }, dockerfile),
]

const zips: Buffer[] = [
  zip([dockerfile]),
  zip([dockerfile, { name: 'a/', unixMode: 0o040755 }, { name: 'a/b', content: words, unixMode: 0o100755 }]),
  zip([
    { ...dockerfile, isStored: true },
    { name: 'link', unixMode: 0o120777, content: 'Dockerfile' },
  ]),
  zip([{ name: 'dos.txt', unixMode: 0, content: words }, dockerfile], { comment: 'a comment' }),
  zip([
    dockerfile,
    { name: 'large', content: words.repeat(100) },
    { name: 'stored', content: words, isStored: true },
  ]),
  zip([{ name: '../../tmp/fuzz-canary' }, dockerfile]),
  zip(
    [
      {
        ...dockerfile,
        isStored: true,
        size: mask32,
        compressedSize: mask32,
        extra: extraField(1, wide(dockerfile.content.length, dockerfile.content.length)),
      },
      { name: 'a', content: words },
    ],
    { entryCount: mask16, directoryOffset: mask32, zip64: {} },
  ),
]

/** Small archives of every dialect, valid ones and some that are refused. */
export const samples: readonly Sample[] = [
  ...tars.map((bytes): Sample => ({ format: 'tar', bytes })),
  ...tars.map((bytes): Sample => ({ format: 'tar.gz', bytes: gzipSync(bytes) })),
  ...zips.map((bytes): Sample => ({ format: 'zip', bytes })),
]
