import { gzipSync } from 'node:zlib'
import { pax, paxRecord, tar, zip } from '../archive/archive-fixtures.ts'
import type { Sample } from './mutate-archive.ts'

const dockerfile = {
  name: 'Dockerfile',
  content: 'FROM python:3.12 AS build\nRUN true\nFROM scratch\nCOPY --from=build /a /a\n',
}
const words = 'the same words again and again '.repeat(30)

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
]

/** Archives of every dialect, honest ones and some that are refused; each small, so that many can be tried. */
export const samples: readonly Sample[] = [
  ...tars.map((bytes): Sample => ({ format: 'tar', bytes })),
  ...tars.map((bytes): Sample => ({ format: 'tar.gz', bytes: gzipSync(bytes) })),
  ...zips.map((bytes): Sample => ({ format: 'zip', bytes })),
]
