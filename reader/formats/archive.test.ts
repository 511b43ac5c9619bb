import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { extraField, wide } from '../../testing/builds/zip-cases.ts'
import { type ArchiveFormat, readArchive } from './archive.ts'
import {
  listArchive,
  pax,
  paxRecord,
  refusalOf,
  sourceOf,
  type TarFields,
  tar,
  textOf,
  type ZipFields,
  zip,
} from './archive-fixtures.ts'
import { ArchiveRefused } from './archive-refused.ts'
import { ContentDigest } from './content-digest.ts'
import { unknownTime } from './file-time.ts'
import { canonicalTar } from './tar/canonical-tar.ts'
import { mask32 } from './zip/zip64.ts'

const folder = mkdtempSync(join(tmpdir(), 'archive-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const longName = `${'very-long-folder-name/'.repeat(6)}${'f'.repeat(120)}.txt`
const tree = join(folder, 'tree')
mkdirSync(join(tree, 'src/empty'), { recursive: true })
mkdirSync(join(tree, longName, '..'), { recursive: true })
writeFileSync(join(tree, 'Dockerfile'), 'FROM scratch\nCOPY . /\n')
writeFileSync(join(tree, 'src/main.sh'), '#!/bin/sh\necho hello\n')
chmodSync(join(tree, 'src/main.sh'), 0o4755)
writeFileSync(join(tree, 'src/größe 日本.txt'), 'Größe')
writeFileSync(join(tree, 'src/zero'), '')
writeFileSync(join(tree, 'big.bin'), Buffer.alloc(300_000, 'random-ish text '))
writeFileSync(join(tree, longName), 'long')
symlinkSync('../Dockerfile', join(tree, 'src/link'))
const changedAt = Date.UTC(2021, 4, 6, 7, 8, 10) / 1000
utimesSync(join(tree, 'src/main.sh'), changedAt, changedAt + 0.75)

const python = (script: string) => execFileSync('python3', ['-c', script], { cwd: tree })
const packers: [name: string, format: ArchiveFormat, pack: (out: string) => void][] = [
  ['tar', 'tar', (out) => execFileSync('tar', ['cf', out, '-C', tree, '.'])],
  ['tar, PAX', 'tar', (out) => execFileSync('tar', ['cf', out, '--format=pax', '-C', tree, '.'])],
  ['tar czf', 'tar.gz', (out) => execFileSync('tar', ['czf', out, '-C', tree, '.'])],
  [
    'python tarfile',
    'tar.gz',
    (out) =>
      python(`import tarfile; t = tarfile.open(${JSON.stringify(out)}, 'w:gz'); t.add('.'); t.close()`),
  ],
  ['zip', 'zip', (out) => execFileSync('zip', ['-qry', out, '.'], { cwd: tree })],
  ['zip, stored', 'zip', (out) => execFileSync('zip', ['-qry0', out, '.'], { cwd: tree })],
]

describe('reading an archive', () => {
  it.each(packers)('finds the same tree in what %s packs', async (name, format, pack) => {
    const out = join(folder, name.replace(/\W/g, '-'))
    pack(out)
    const packed = format === 'zip' ? `${out}.zip` : out
    const listed = await listArchive(readFileSync(packed), format)
    const files = listed.filter(({ kind }) => kind !== 'directory')
    expect(files).toEqual(
      [
        { path: 'Dockerfile', kind: 'file', mode: 0o644, content: 'FROM scratch\nCOPY . /\n' },
        { path: 'big.bin', kind: 'file', mode: 0o644, content: 'random-ish text '.repeat(18_750) },
        { path: 'src/größe 日本.txt', kind: 'file', mode: 0o644, content: 'Größe' },
        { path: 'src/link', kind: 'symlink', mode: 0o777, linkTarget: '../Dockerfile' },
        { path: 'src/main.sh', kind: 'file', mode: 0o755, content: '#!/bin/sh\necho hello\n' },
        { path: 'src/zero', kind: 'file', mode: 0o644, content: '' },
        { path: longName, kind: 'file', mode: 0o644, content: 'long' },
      ].sort((a, b) => (a.path < b.path ? -1 : 1)),
    )
    expect(listed.map(({ path }) => path)).toContain('src/empty')
  })

  it('accepts a zip that Python streams, with descriptors after the content', async () => {
    const script = [
      'import sys, zipfile',
      'class Pipe:',
      '    def write(self, b): return sys.stdout.buffer.write(b)',
      '    def flush(self): pass',
      'z = zipfile.ZipFile(Pipe(), "w", zipfile.ZIP_DEFLATED)',
      'z.write("src/main.sh"); z.writestr("note", "n" * 5000); z.write("src/empty"); z.close()',
    ]
    expect(await listArchive(python(script.join('\n')), 'zip')).toMatchObject([
      { path: 'note', kind: 'file', content: 'n'.repeat(5000) },
      { path: 'src/empty', kind: 'directory' },
      { path: 'src/main.sh', kind: 'file', mode: 0o755 },
    ])
  })

  it('accepts zips of Explorer and Finder: no modes, repeated folders, decomposed names, files about files', async () => {
    const explorer = zip([
      { name: 'Dockerfile', content: 'FROM scratch\r\n', unixMode: 0, attributes: 0x20 },
      ...Array.from({ length: 2 }, () => ({ name: 'sub/', unixMode: 0, attributes: 0x10 })),
      { name: 'sub/a b.txt', content: 'a', unixMode: 0, attributes: 0x20 },
    ])
    expect(await listArchive(explorer, 'zip')).toMatchObject([
      { path: 'Dockerfile', mode: 0o644, content: 'FROM scratch\r\n' },
      { path: 'sub', kind: 'directory' },
      { path: 'sub/a b.txt', mode: 0o644, content: 'a' },
    ])
    const decomposed = 'cafe\u0301.txt'
    const finder = zip([{ name: decomposed }, { name: `__MACOSX/._${decomposed}` }])
    expect((await listArchive(finder, 'zip')).map(({ path }) => path)).toContain(decomposed)
  })

  it('says what to do about a name in a code page of Windows', async () => {
    const name = Buffer.concat([Buffer.from([0x95, 0xf1, 0x8d, 0x90]), Buffer.from('.txt')])
    const refused = await listArchive(zip([{ name }]), 'zip').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ArchiveRefused)
    expect((refused as ArchiveRefused).explanation('archive')).toMatch(/Windows Explorer.*tar -czf.*7-Zip/)
  })

  it('accepts archives of git archive, including the comment', async () => {
    const repository = join(folder, 'repository')
    const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args])
    execFileSync('git', ['init', '-q', repository])
    writeFileSync(join(repository, 'Dockerfile'), 'FROM scratch\n')
    git('add', '.')
    git('-c', 'user.name=n', '-c', 'user.email=e@example.org', 'commit', '-qm', 'one')
    for (const format of ['tar', 'zip', 'tar.gz'] as const) {
      const listed = await listArchive(git('archive', `--format=${format}`, 'HEAD'), format)
      expect(listed).toMatchObject([{ path: 'Dockerfile', content: 'FROM scratch\n' }])
    }
  })

  it('accepts and keeps hard links that tar makes for several names of one file', async () => {
    const linked = join(folder, 'linked')
    mkdirSync(join(linked, 'deep/er'), { recursive: true })
    writeFileSync(join(linked, 'first'), 'one file', { mode: 0o755 })
    linkSync(join(linked, 'first'), join(linked, 'deep/er/second'))
    linkSync(join(linked, 'first'), join(linked, 'third'))
    for (const format of ['gnu', 'pax', 'ustar', 'v7']) {
      const packed = execFileSync('tar', ['c', `--format=${format}`, '--sort=name', '-C', linked, '.'])
      const { tar: written } = await clean(packed, 'tar')
      expect(await listArchive(written, 'tar')).toMatchObject([
        { path: 'deep', kind: 'directory' },
        { path: 'deep/er', kind: 'directory' },
        { path: 'deep/er/second', kind: 'file', mode: 0o755, content: 'one file' },
        { path: 'first', kind: 'hard_link', linkTarget: 'deep/er/second' },
        { path: 'third', kind: 'hard_link', linkTarget: 'deep/er/second' },
      ])
      const out = join(folder, `unpacked-${format}`)
      mkdirSync(out)
      execFileSync('tar', ['x', '-C', out], { input: written })
      expect(statSync(join(out, 'third'))).toMatchObject({ nlink: 3, size: 8 })
    }
  })

  it('accepts a hard link to a hard link', async () => {
    const link = (name: string, linkName: string) => ({ name, linkName, type: '1' })
    const chained = tar({ name: 'a', content: 'x' }, link('b', './a'), link('c', 'b'))
    expect(await listArchive(chained, 'tar')).toMatchObject([{}, { linkTarget: 'a' }, { linkTarget: 'b' }])
  })

  it.each(['v7', 'oldgnu', 'gnu', 'ustar', 'pax'])(
    'finds the same tree in the tar dialect %s, also in incremental archives',
    async (format) => {
      const pack = (...options: string[]) =>
        execFileSync('tar', ['c', `--format=${format}`, ...options, 'Dockerfile', 'src'], { cwd: tree })
      const names = ['--exclude=größe*']
      const listed = await listArchive(pack(...names), 'tar')
      expect(listed.map(({ path }) => path)).toEqual([
        'Dockerfile',
        'src',
        'src/empty',
        'src/link',
        'src/main.sh',
        'src/zero',
      ])
      if (format === 'v7' || format === 'ustar') return
      const incremental = pack(...names, '-g', join(folder, `snapshot-${format}`))
      expect(await listArchive(incremental, 'tar')).toEqual(listed)
    },
  )

  it('accepts a repeated folder, as in archives that were appended to', async () => {
    const twice = tar({ name: 'd/', type: '5' }, { name: 'd/f' }, { name: './d', type: '5' }, { name: 'd/g' })
    expect((await listArchive(twice, 'tar')).map(({ path }) => path)).toEqual(['d', 'd/f', 'd/g'])
  })

  it('accepts zip64 of every available archiver', async () => {
    const forced = [
      'import sys, zipfile',
      'z = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)',
      'with z.open("big", "w", force_zip64=True) as f: f.write(b"b" * 5000)',
      'z.close()',
    ]
    const out = join(folder, 'forced.zip')
    execFileSync('python3', ['-c', forced.join('\n'), out])
    expect(await listArchive(readFileSync(out), 'zip')).toMatchObject([
      { path: 'big', content: 'b'.repeat(5000) },
    ])
    const piped = execFileSync('sh', ['-c', 'zip -q - - <Dockerfile | cat'], { cwd: tree })
    expect(await listArchive(piped, 'zip')).toMatchObject([
      { path: '-', content: 'FROM scratch\nCOPY . /\n' },
    ])
    const streamed = forced.join('\n').replace('zipfile.ZipFile(sys.argv[1]', 'zipfile.ZipFile(Pipe()')
    const pipe =
      'class Pipe:\n    def write(self, b): return sys.stdout.buffer.write(b)\n    def flush(self): pass\n'
    const unseekable = execFileSync('python3', ['-c', streamed.replace('\n', `\n${pipe}`)])
    expect(await listArchive(unseekable, 'zip')).toMatchObject([{ path: 'big', content: 'b'.repeat(5000) }])
  })

  it('reads zip64 values if the plain fields are masked, and more entries than plain zip allows', async () => {
    const masked: ZipFields = {
      name: 'a',
      content: 'hello',
      isStored: true,
      size: mask32,
      compressedSize: mask32,
      offset: mask32,
      extra: extraField(1, wide(5, 5, 0)),
      local: { extra: extraField(1, wide(5, 5)) },
    }
    const end = { entryCount: 0xffff, directoryBytes: mask32, directoryOffset: mask32, zip64: {} }
    expect(await listArchive(zip([masked], end), 'zip')).toMatchObject([{ path: 'a', content: 'hello' }])
    const many = Array.from({ length: 70_000 }, (_, index) => ({
      name: `f${index}`,
      content: '',
      isStored: true,
    }))
    expect(await refusalOf(zip(many, { entryCount: 0xffff, zip64: {} }), 'zip')).toBe('accepted')
  })

  it('accepts links that stay inside', async () => {
    const link = (name: string, linkName: string) => ({ name, linkName, type: '2' })
    const links = tar(
      link('a', './b/'),
      link('b/c', '..'),
      link('b/d', '../b/c/x'),
      link('e', 'nowhere'),
      link('f', '.'),
    )
    expect((await listArchive(links, 'tar')).map(({ linkTarget }) => linkTarget)).toEqual([
      'b',
      '..',
      '../b/c/x',
      'nowhere',
      '.',
    ])
  })

  it('drops attributes, owners and set-id bits', async () => {
    const records = [paxRecord('uid', '99999999'), paxRecord('SCHILY.xattr.security.capability', 'x')]
    const listed = await listArchive(tar(pax(...records), { mode: 0o6711 }), 'tar')
    expect(listed).toEqual([{ path: 'file', kind: 'file', mode: 0o755, content: '' }])
  })

  it('goes on after an entry whose content was not or only partly read', async () => {
    const entries = ['a', 'b', 'c'].map((name) => ({ name, content: name.repeat(10_000) }))
    for (const [archive, format] of [
      [tar(...entries), 'tar'],
      [zip(entries), 'zip'],
    ] as const) {
      const seen: string[] = []
      for await (const { path, body } of readArchive(sourceOf(archive), format)) {
        if (path === 'b' && body) for await (const _part of body) break
        if (path === 'c' && body) expect(await textOf(body)).toBe('c'.repeat(10_000))
        seen.push(path)
      }
      expect(seen).toEqual(['a', 'b', 'c'])
    }
  })

  it('names the rule family of a refusal in the detail field', () => {
    expect(new ArchiveRefused('device_entry').errorDetail).toBe('reserved_path_or_hostile_entry;device_entry')
    expect(new ArchiveRefused('archive_truncated').errorDetail).toBe('archive_truncated')
  })

  it('lists or refuses mutated archives, and never throws another error', async () => {
    const samples = [
      {
        format: 'tar',
        bytes: tar(pax(paxRecord('path', 'x/y')), { content: 'hello' }, { name: 'd', type: '5' }),
      },
      {
        format: 'zip',
        bytes: zip([
          { name: 'a', content: 'hello' },
          { name: 'd/', unixMode: 0o40755 },
        ]),
      },
    ] as const
    const changes = fc.array(fc.tuple(fc.nat(4000), fc.nat(255)), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...samples),
        changes,
        fc.nat(3000),
        async ({ format, bytes }, flips, cut) => {
          const mutant = Buffer.from(bytes)
          for (const [at, byte] of flips) mutant.writeUInt8(byte, at % mutant.length)
          await refusalOf(mutant, format)
          await refusalOf(mutant.subarray(0, cut), format)
        },
      ),
      { numRuns: 300 },
    )
  })
})

const timesOf = async (archive: Buffer, format: ArchiveFormat) => {
  const times = new Map<string, number | undefined>()
  for await (const { path, modifiedAt } of readArchive(sourceOf(archive), format)) times.set(path, modifiedAt)
  return times
}

const clean = async (archive: Buffer, format: ArchiveFormat) => {
  const content = new ContentDigest()
  const parts: Buffer[] = []
  for await (const part of canonicalTar(content.through(readArchive(sourceOf(archive), format))))
    parts.push(part)
  return { digest: content.digest(), tar: Buffer.concat(parts) }
}

describe('the canonical tar and the content digest', () => {
  it('have the content of the archive, for our parser and for tar', async () => {
    const packed = execFileSync('tar', ['cz', '-C', tree, '.'])
    const { tar: written } = await clean(packed, 'tar.gz')
    expect(await listArchive(written, 'tar')).toEqual(await listArchive(packed, 'tar.gz'))
    const verbose = execFileSync('tar', ['tv', '--numeric-owner'], {
      input: written,
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
    })
    expect(verbose).toMatch(/-rwxr-xr-x 0\/0 +21 2021-05-06 07:08 src\/main.sh/)
    expect(verbose).toContain('src/link -> ../Dockerfile')
    expect(verbose).toContain(longName)
  })

  it.each(packers)('has the times of files as %s packs them', async (name, format) => {
    const out = join(folder, name.replace(/\W/g, '-'))
    const packed = readFileSync(format === 'zip' ? `${out}.zip` : out)
    expect((await timesOf(packed, format)).get('src/main.sh')).toBe(changedAt)
  })

  it('has the time of DOS where a zip has no other, as UTC', async () => {
    const dosTime = (((2021 - 1980) << 25) | (5 << 21) | (6 << 16) | (7 << 11) | (8 << 5) | 5) >>> 0
    const times = await timesOf(zip([{ name: 'a', dosTime }, { name: 'b' }]), 'zip')
    expect([...times]).toEqual([
      ['a', changedAt],
      ['b', unknownTime],
    ])
  })

  it.each([
    ['a negative number', '-1', unknownTime],
    ['a fraction', '1620284890.999', changedAt],
    ['more than a header holds', '9'.repeat(20), 8 ** 11 - 1],
    ['no number', 'soon', unknownTime],
  ])('takes %s as a time of PAX', async (_name, mtime, time) => {
    const archive = tar(pax(paxRecord('mtime', mtime)), { name: 'a', content: 'x' })
    expect((await timesOf(archive, 'tar')).get('a')).toBe(time)
  })

  it('gives entries without a time that of the upload, in the tar for the builder', async () => {
    const parts: Buffer[] = []
    const entries = readArchive(
      sourceOf(tar({ name: 'a' }, pax(paxRecord('mtime', '5')), { name: 'b' })),
      'tar',
    )
    for await (const part of canonicalTar(entries, changedAt)) parts.push(part)
    expect([...(await timesOf(Buffer.concat(parts), 'tar'))]).toEqual([
      ['a', changedAt],
      ['b', 5],
    ])
  })

  it('are the same for every packer', async () => {
    const digests = await Promise.all(
      packers.map(async ([name, format]) => {
        const out = join(folder, name.replace(/\W/g, '-'))
        return (await clean(readFileSync(format === 'zip' ? `${out}.zip` : out), format)).digest
      }),
    )
    expect(new Set(digests).size).toBe(1)
    expect(digests[0]).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  it('do not depend on order or on entries for folders', async () => {
    const file = { name: 'd/f', content: 'x' }
    const folderEntry = { name: 'd', type: '5' }
    const { digest } = await clean(tar(file), 'tar')
    expect((await clean(tar(folderEntry, file), 'tar')).digest).toBe(digest)
    expect((await clean(tar(file, folderEntry), 'tar')).digest).toBe(digest)
    expect((await clean(zip([file]), 'zip')).digest).toBe(digest)
  })

  it('are the same for the same content in any order, format and spelling', async () => {
    const segment = fc.stringMatching(/^[a-zß-ü][a-z0-9._ -]{0,6}[a-z0-9]$/)
    const file = fc.record({
      path: fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/')),
      content: fc.string({ maxLength: 2000 }),
      isExecutable: fc.boolean(),
      linkName: fc.option(segment),
    })
    const tree = fc
      .uniqueArray(file, { maxLength: 8, selector: ({ path }) => path })
      .filter((files) => !files.some(({ path }) => files.some((other) => other.path.startsWith(`${path}/`))))
    const order = fc.infiniteStream(fc.nat())
    const seconds = fc.integer({ min: 0, max: 2 ** 31 })
    await fc.assert(
      fc.asyncProperty(tree, order, seconds, async (files, draws, mtime) => {
        const shuffled = files
          .map((one) => ({ one, key: draws.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ one }) => one)
        const mode = (one: (typeof files)[number]) => (one.isExecutable ? 0o755 : 0o644)
        const asTar = (one: (typeof files)[number], name: string): TarFields =>
          one.linkName === null
            ? { name, content: one.content, mode: mode(one) }
            : { name, type: '2', linkName: one.linkName }
        const plain = tar(...files.map((one) => asTar(one, one.path)))
        const decorated = tar(
          ...shuffled.flatMap((one) => [
            pax(paxRecord('mtime', String(mtime)), paxRecord('uname', 'somebody')),
            asTar(one, `./${one.path}`),
          ]),
        )
        const zipped = zip(
          shuffled.map((one) => ({
            name: one.path,
            content: one.linkName ?? one.content,
            unixMode: one.linkName === null ? 0o100000 | mode(one) : 0o120777,
          })),
          { comment: 'packed elsewhere' },
        )
        const digests = [
          (await clean(plain, 'tar')).digest,
          (await clean(decorated, 'tar')).digest,
          (await clean(gzipSync(decorated), 'tar.gz')).digest,
          (await clean(zipped, 'zip')).digest,
        ]
        expect(new Set(digests).size).toBe(1)
      }),
      { numRuns: 150 },
    )
  })

  it('change with content, path, execute bit, kind and target', async () => {
    const variants = [
      tar({ name: 'a', content: 'x' }),
      tar({ name: 'a', content: 'y' }),
      tar({ name: 'b', content: 'x' }),
      tar({ name: 'a', content: 'x', mode: 0o755 }),
      tar({ name: 'a', type: '5' }),
      tar({ name: 'a', type: '2', linkName: 'x' }),
      tar({ name: 'a', type: '2', linkName: 'y' }),
      tar({ name: 'a', content: 'x' }, { name: 'b', content: 'x' }),
      tar({ name: 'a', content: 'x' }, { name: 'b', type: '1', linkName: 'a' }),
      tar({ name: 'a', content: 'y' }, { name: 'b', type: '1', linkName: 'a' }),
      tar(),
    ]
    const digests = await Promise.all(variants.map(async (variant) => (await clean(variant, 'tar')).digest))
    expect(new Set(digests).size).toBe(variants.length)
  })
})
