import { gzipSync } from 'node:zlib'
import type { ArchiveFormat } from '../../reader/formats/archive.ts'
import {
  pax,
  paxRecord,
  type TarFields,
  tar,
  tarEnd,
  tarEntry,
  zip,
} from '../../reader/formats/archive-fixtures.ts'
import { hostileGzips, hostileTarBytes, hostileTarEntries } from '../../testing/builds/tar-cases.ts'
import {
  hostileLargeEntries,
  hostileZipBytes,
  hostileZipEnds,
  hostileZipEntries,
  large,
  one,
} from '../../testing/builds/zip-cases.ts'

export interface HostileArchive {
  class: string
  name: string
  format: ArchiveFormat
  bytes: Buffer
  /** The slug with which the gate refuses it. */
  slug: string
}

/** Classes of refusals, by the start of the slug. */
const classes: [slug: RegExp, name: string][] = [
  [/^path_/, 'path'],
  [/^(duplicate_path|entry_below)/, 'tree'],
  [/^(link_|hard_link)/, 'link'],
  [/^(device|sparse|unknown_entry)/, 'kind'],
  [/^(bad_checksum|header_disagrees|pax_record)/, 'lying header'],
  [/^(trailing_data|entries_overlap)/, 'hidden content'],
  [/^(encrypted|zip64|zip_feature)/, 'zip feature'],
  [/^archive_(format|truncated|corrupt)/, 'broken'],
  [/^archive_/, 'bomb'],
  [/^(dockerfile_|syntax_directive|ignore_file)/, 'dockerfile'],
  [/^image_whiteout/, 'whiteout'],
]

function classOf(slug: string): string {
  const found = classes.find(([pattern]) => pattern.test(slug))
  if (!found) throw new Error(`no class of hostile archives for ${slug}`)
  return found[1]
}

const of = (format: ArchiveFormat, name: string, bytes: Buffer, slug: string): HostileArchive => ({
  class: classOf(slug),
  name: `${format}: ${name}`,
  format,
  bytes,
  slug,
})

/** The tar plain and compressed. */
const bothTars = (name: string, bytes: Buffer, slug: string): HostileArchive[] => [
  of('tar', name, bytes, slug),
  of('tar.gz', name, gzipSync(bytes), slug),
]

/** Paths that lead outside, or that parsers read differently. */
const hostilePaths: [path: string, slug: string][] = [
  ['../canary', 'path_escapes'],
  ['../../../../../../../../tmp/canary', 'path_escapes'],
  ['a/../../canary', 'path_escapes'],
  ['./../canary', 'path_escapes'],
  ['a/..', 'path_escapes'],
  ['/canary', 'path_absolute'],
  ['/etc/cron.d/canary', 'path_absolute'],
  ['//server/share', 'path_absolute'],
  ['C:/canary', 'path_drive'],
  ['C:canary', 'path_drive'],
  ['..\\canary', 'path_backslash'],
  ['\\\\server\\share', 'path_backslash'],
  ['a\\..\\..\\canary', 'path_backslash'],
  ['a//canary', 'path_not_normal'],
  ['a/./canary', 'path_not_normal'],
  ['.//canary', 'path_not_normal'],
  ['canary/.', 'path_not_normal'],
  ['a\ncanary', 'path_control_character'],
  ['a\rcanary', 'path_control_character'],
  ['\u001b]0;canary', 'path_control_character'],
  ['a\u007f', 'path_control_character'],
  ['a\u0085b', 'path_control_character'],
]

/** Every field of an archive that can have a path. */
const placings: [place: string, format: ArchiveFormat, make: (path: string) => Buffer][] = [
  ['a PAX path', 'tar', (path) => tar(pax(paxRecord('path', path)), {})],
  ['a GNU long name', 'tar', (path) => tar({ type: 'L', content: `${path}\0` }, { magic: 'ustar  \0' })],
  ['a header after a prefix', 'tar', (path) => tar({ prefix: 'a', name: path })],
  ['a zip entry', 'zip', (path) => zip([{ name: path }])],
  [
    'a stored zip entry',
    'zip',
    (path) => zip([{ name: 'first' }, { name: path, isStored: true, content: 'x' }]),
  ],
]

/** After a prefix a leading slash or dot is in the middle, and a drive letter is an ordinary name. */
function slugBehindPrefix(path: string, slug: string): string | undefined {
  if (path.startsWith('C:')) return undefined
  return path.startsWith('/') || path.startsWith('./') ? 'path_not_normal' : slug
}

const placed = placings.flatMap(([place, format, make]) =>
  hostilePaths.flatMap(([path, plainSlug]) => {
    const slug = place.includes('prefix') ? slugBehindPrefix(path, plainSlug) : plainSlug
    return slug === undefined ? [] : [of(format, `${JSON.stringify(path)} as ${place}`, make(path), slug)]
  }),
)

const mib = 1024 ** 2
const dockerfile: TarFields = { name: 'Dockerfile', content: 'FROM scratch\n' }
const manyEntries = (count: number, fields: (index: number) => TarFields): Buffer => {
  const entries = Array.from({ length: count }, (_, index) => tarEntry(fields(index)))
  return gzipSync(Buffer.concat([...entries, tarEnd]), { level: 1 })
}

/** Archives beyond the bounds of a build context. */
const bombs = (): HostileArchive[] => [
  of('tar.gz', '80 MiB of zeros', gzipSync(tar({ content: Buffer.alloc(80 * mib) })), 'archive_ratio'),
  of(
    'tar.gz',
    'zeros after the end',
    gzipSync(Buffer.concat([tar({}), Buffer.alloc(80 * mib)])),
    'archive_ratio',
  ),
  of('zip', '80 MiB of zeros', zip([{ content: Buffer.alloc(80 * mib) }]), 'archive_ratio'),
  of(
    'zip',
    'zeros with a small declared size',
    zip([{ content: Buffer.alloc(80 * mib), size: 10 }]),
    'header_disagrees',
  ),
  of('zip', 'a declared size past every bound', zip([{ content: 'x', size: 0xfffffff0 }]), 'archive_ratio'),
  of(
    'tar.gz',
    '100,001 entries',
    manyEntries(100_001, (index) => ({ name: String(index) })),
    'archive_too_many_entries',
  ),
  of(
    'tar.gz',
    'folders without entries',
    manyEntries(2000, (index) => ({ prefix: `${index}/${'d/'.repeat(60)}d`, name: 'f' })),
    'archive_too_many_entries',
  ),
  of('tar', 'a size of 8 GiB', tar({ size: 2 ** 33 - 1 }), 'archive_truncated'),
]

const noDockerfiles: HostileArchive[] = [
  ...bothTars('nothing', tarEnd, 'dockerfile_missing'),
  // One folder with a Dockerfile is the context.
  ...bothTars(
    'a Dockerfile in one of two folders',
    tar({ name: 'a/Dockerfile', content: 'FROM scratch' }, { name: 'b/x', content: '' }),
    'dockerfile_missing',
  ),
  ...bothTars(
    'a Dockerfile below two folders',
    tar({ name: 'a/b/Dockerfile', content: 'FROM scratch' }),
    'dockerfile_missing',
  ),
  ...bothTars(
    'a Dockerfile in another case',
    tar({ name: 'dockerfile', content: 'FROM scratch' }),
    'dockerfile_missing',
  ),
  ...bothTars(
    'a Dockerfile that is a folder',
    tar({ name: 'Dockerfile', type: '5' }),
    'dockerfile_not_a_file',
  ),
  ...bothTars(
    'a Dockerfile that is a link',
    tar({ name: 'Dockerfile', type: '2', linkName: 'a' }),
    'dockerfile_link',
  ),
  ...bothTars(
    'a Dockerfile that is a link to a hostile one',
    tar({ name: 'Dockerfile', type: '2', linkName: 'd/e' }, { name: 'd/e', content: '# syntax=x\n' }),
    'syntax_directive',
  ),
  ...bothTars(
    'a Dockerfile that is a link to itself',
    tar({ name: 'Dockerfile', type: '2', linkName: 'Dockerfile' }),
    'dockerfile_link',
  ),
  ...bothTars(
    'an ignore file that is no text',
    tar(dockerfile, { name: '.dockerignore', content: '\u00ff['.repeat(2) }),
    'ignore_file_malformed',
  ),
  ...bothTars(
    'an ignore file of many patterns',
    tar(dockerfile, { name: '.dockerignore', content: '**/*a*\n'.repeat(1001) }),
    'ignore_file_too_large',
  ),
  ...bothTars('two Dockerfiles', tar(dockerfile, { ...dockerfile, content: 'FROM x' }), 'duplicate_path'),
  of(
    'zip',
    'a Dockerfile that is a link',
    zip([{ name: 'Dockerfile', unixMode: 0o120777, content: 'a' }]),
    'dockerfile_link',
  ),
  of('zip', 'two Dockerfiles', zip([{ name: 'Dockerfile' }, { name: 'Dockerfile' }]), 'duplicate_path'),
]

/** Whiteout names, with which a layer deletes files of lower layers. */
const whiteouts: HostileArchive[] = ['.wh.media', 'etc/.wh.passwd', 'etc/.wh..wh..opq', '.wh.a/b'].flatMap(
  (name) => [
    ...bothTars(`a file ${name}`, tar(dockerfile, { name }), 'image_whiteout'),
    of(
      'zip',
      `a file ${name}`,
      zip([{ name: 'Dockerfile', content: 'FROM scratch' }, { name }]),
      'image_whiteout',
    ),
  ],
)

/** Creates every hostile archive. */
export const hostileArchives = (): HostileArchive[] => [
  ...hostileTarEntries.flatMap(([name, entries, slug]) => bothTars(name, tar(...entries), slug)),
  ...hostileTarBytes.map(([name, bytes, slug]) => of('tar', name, bytes, slug)),
  ...hostileGzips.map(([name, bytes, slug]) => of('tar.gz', name, bytes, slug)),
  ...hostileZipEntries.map(([name, entries, slug]) => of('zip', name, zip(entries), slug)),
  ...hostileLargeEntries.map(([name, entry, slug]) =>
    of('zip', `a large file with ${name}`, zip([{ content: large, ...entry }, { name: 'b' }]), slug),
  ),
  ...hostileZipEnds.map(([name, end, slug]) => of('zip', name, zip(one, end), slug)),
  ...hostileZipBytes.map(([name, bytes, slug]) => of('zip', name, bytes, slug)),
  ...placed,
  ...noDockerfiles,
  ...whiteouts,
  ...bombs(),
]
