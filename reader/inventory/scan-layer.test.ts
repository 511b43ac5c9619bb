import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { chunksOf, pax, paxRecord, type TarFields, tar, zip } from '../formats/archive-fixtures.ts'
import { type Inventory, inventoryBounds } from './inventory.ts'
import { scanLayer } from './scan-layer.ts'

const scan = (...entries: TarFields[]): Promise<Inventory> => scanLayer(Readable.from([tar(...entries)]))

/** One line for each package. */
const names = ({ packages }: Inventory) =>
  packages.map(({ kind, namespace, name, version }) =>
    [kind, namespace, name, version].filter(Boolean).join(' '),
  )
const rules = ({ observations }: Inventory) => observations.map(({ rule, path }) => `${rule} ${path}`)

const status = `Package: libssl3
Status: install ok installed
Architecture: amd64
Source: openssl (3.0.15-1)
Version: 3.0.15-1+b1
Description: text
 Version: 9 of a folded line

Package: gone
Status: deinstall ok config-files
Version: 1

Package: bash
Status: install ok installed
Version: 5.2-2
`

describe('packages', () => {
  it('of Debian are the installed ones, with their source package', async () => {
    const inventory = await scan({ name: 'var/lib/dpkg/status', content: status })
    expect(names(inventory)).toEqual(['deb bash 5.2-2', 'deb libssl3 3.0.15-1+b1'])
    expect(inventory.packages[1]).toMatchObject({
      architecture: 'amd64',
      source: { name: 'openssl', version: '3.0.15-1' },
      paths: ['var/lib/dpkg/status'],
    })
  })

  it('of an image without dpkg are in separate files', async () => {
    const inventory = await scan(
      { name: 'var/lib/dpkg/status.d/base', content: 'Package: base-files\nVersion: 12.4\n' },
      { name: 'var/lib/dpkg/status.d/base.md5sums', content: 'Package: no\nVersion: 1\n' },
    )
    expect(names(inventory)).toEqual(['deb base-files 12.4'])
  })

  it('of Alpine, Python, npm and Ruby', async () => {
    const inventory = await scan(
      {
        name: 'lib/apk/db/installed',
        content: 'C:Q1x=\nP:musl\nV:1.2.5-r0\nA:x86_64\no:musl\n\nP:ssl\nV:3-r1\no:openssl\n',
      },
      {
        name: 'usr/lib/p/Flask_X-3.0.dist-info/METADATA',
        content: 'Metadata-Version: 2.1\nName: Flask_X\nVersion: 3.0\n\nName: no\n',
      },
      { name: 'usr/lib/p/old.egg-info', content: 'Name: old\nVersion: 1.0\n' },
      { name: 'app/node_modules/@a/b/package.json', content: '{"name":"@a/b","version":"1.2.3"}' },
      { name: 'app/node_modules/@a/b/lib/package.json', content: '{"name":"c","version":"1.0.0"}' },
      { name: 'app/package.json', content: '{"name":"app","version":"1.0.0"}' },
      {
        name: 'g/specifications/rake-13.0.gemspec',
        content: '  s.name = "rake".freeze\n  s.version = "13.0"\n',
      },
    )
    expect(names(inventory)).toEqual([
      'apk musl 1.2.5-r0',
      'apk ssl 3-r1',
      'gem rake 13.0',
      'npm @a b 1.2.3',
      'pypi Flask_X 3.0',
      'pypi old 1.0',
    ])
  })

  it('that Maven packed into a Java archive', async () => {
    const pom = 'version=2.17.1\ngroupId=org.apache.logging.log4j\nartifactId=log4j-core\n'
    const jar = zip([
      { name: 'META-INF/maven/org.apache.logging.log4j/log4j-core/pom.properties', content: pom },
      {
        name: 'META-INF/maven/a/b/pom.properties',
        content: 'version=1\ngroupId=a\nartifactId=b\n',
        isStored: true,
      },
      { name: 'A.class', content: 'x' },
    ])
    const inventory = await scan(
      { name: 'app/x.jar', content: jar },
      { name: 'app/broken.jar', content: jar.subarray(0, -30) },
      { name: 'app/empty.jar' },
    )
    expect(names(inventory)).toEqual(['maven a b 1', 'maven org.apache.logging.log4j log4j-core 2.17.1'])
    expect(inventory.unread).toEqual([
      { path: 'app/broken.jar', reason: 'malformed' },
      { path: 'app/empty.jar', reason: 'malformed' },
    ])
  })

  it('that a Go program was linked from, for any chunk boundaries', async () => {
    const module = (word: string, path: string, version: string) => `${word}\t${path}\t${version}\th1:x=\n`
    const mark = 'x'.repeat(16)
    const modules =
      module('mod', 'example.com/app', '(devel)') +
      module('dep', 'github.com/a/b', 'v1.2.3') +
      module('dep', 'github.com/c/replaced', 'v1.0.0') +
      module('=>', 'github.com/d/instead', 'v2.0.0')
    const info = Buffer.concat([
      Buffer.from('\xff Go buildinf:\x08\x02', 'latin1'),
      Buffer.alloc(16),
      Buffer.from('\x08go1.23.1', 'latin1'),
      lengthOf(modules.length + 32),
      Buffer.from(mark + modules + mark),
    ])
    const decoy = Buffer.from('\xff Go buildinf: is what it looks for', 'latin1')
    const program = Buffer.concat([
      Buffer.from('\x7fELF'),
      Buffer.alloc(997, 1),
      decoy,
      Buffer.alloc(10_000, 2),
    ])
    const aligned = Buffer.alloc(Math.ceil(program.length / 16) * 16)
    program.copy(aligned)
    const archive = tar({ name: 'app', content: Buffer.concat([aligned, info, Buffer.alloc(5000)]) })
    for (const size of [7, 512, 4096, archive.length]) {
      const inventory = await scanLayer(Readable.from(chunksOf(archive, size)))
      expect(names(inventory)).toEqual(['golang github.com/a b v1.2.3', 'golang github.com/d instead v2.0.0'])
    }
  })

  it('are listed once, with the first few paths', async () => {
    const places = Array.from({ length: 9 }, (_, index) => ({
      name: `${9 - index}/node_modules/a/package.json`,
      content: '{"name":"a","version":"1.0.0"}',
    }))
    const { packages } = await scan(...places)
    expect(packages).toHaveLength(1)
    expect(packages[0]?.paths).toEqual([1, 2, 3, 4, 5].map((n) => `${n}/node_modules/a/package.json`))
  })
})

describe('what cannot be read', () => {
  it('is reported: an rpm database in an old format or with a write-ahead log, a file that is too large, and a damaged one', async () => {
    const large = { name: 'x.jar', content: Buffer.alloc(inventoryBounds.wholeFileBytes + 1) }
    const inventory = await scan(
      { name: 'var/lib/rpm/Packages', content: 'Berkeley' },
      { name: 'var/lib/rpm/rpmdb.sqlite-wal', content: 'log' },
      { name: 'usr/lib/sysimage/rpm/rpmdb.sqlite-wal', content: '' },
      large,
      { name: 'node_modules/a/package.json', content: '{"name":' },
      { name: 'p.dist-info/METADATA', content: `Name: ${'x'.repeat(300)}\nVersion: 1\n` },
    )
    expect(inventory.packages).toEqual([])
    expect(inventory.unread).toEqual([
      { path: 'node_modules/a/package.json', reason: 'malformed' },
      { path: 'p.dist-info/METADATA', reason: 'malformed' },
      { path: 'var/lib/rpm/Packages', reason: 'rpm_database' },
      { path: 'var/lib/rpm/rpmdb.sqlite-wal', reason: 'rpm_database' },
      { path: 'x.jar', reason: 'too_large' },
    ])
  })

  it('is omitted beyond the bounds, and the inventory is marked as truncated', async () => {
    const many = Array.from({ length: inventoryBounds.packages + 1 }, (_, n) => `P:p${n}\nV:1\n`).join('\n')
    const { packages, truncated } = await scan({ name: 'lib/apk/db/installed', content: many })
    expect([packages.length, truncated]).toEqual([inventoryBounds.packages, true])
  })
})

it('the system is the one in os-release, with /etc before /usr/lib', async () => {
  const release = (id: string) => `ID=${id}\nVERSION_ID="12"\nPRETTY_NAME="A ${id}"\n`
  const both = await scan(
    { name: 'usr/lib/os-release', content: release('debian') },
    { name: 'etc/os-release', content: release('ubuntu') },
  )
  expect(both.system).toEqual({ id: 'ubuntu', version: '12', name: 'A ubuntu' })
  const { system } = await scan({ name: 'usr/lib/os-release', content: 'ID="$(rm -rf /)"\n' })
  expect(system).toBeUndefined()
})

it('suspicious modes and attributes', async () => {
  const inventory = await scan(
    { name: './', type: '5', mode: 0o777 },
    { name: 'tmp/', type: '5', mode: 0o1777 },
    { name: 'open/', type: '5', mode: 0o757 },
    { name: 'su', mode: 0o4755 },
    { name: 'wall', mode: 0o2755 },
    { name: 'locked', mode: 0o2644 },
    pax(paxRecord('SCHILY.xattr.security.capability', 'x')),
    { name: 'ping', mode: 0o755 },
    { name: 'link', type: '2', linkName: 'su', mode: 0o4777 },
  )
  expect(rules(inventory)).toEqual([
    'capability_file ping',
    'setgid_file wall',
    'setuid_file su',
    'world_writable_folder /',
    'world_writable_folder open',
  ])
})

it('the same image gives the same inventory, in any order of entries', async () => {
  const entries: TarFields[] = [
    { name: 'var/lib/dpkg/status', content: status },
    { name: 'a', mode: 0o4755 },
    { name: 'b', mode: 0o4755 },
    { name: 'node_modules/a/package.json', content: '{"name":"a","version":"1.0.0"}' },
  ]
  expect(await scan(...entries)).toEqual(await scan(...entries.toReversed()))
})

function lengthOf(value: number): Buffer {
  return Buffer.from(value < 128 ? [value] : [(value & 0x7f) | 0x80, value >> 7])
}
