import { expect, it } from 'vitest'
import { SeededRandom } from '../../../server/base/seeded-random.ts'
import { InventoryMaker } from '../inventory-maker.ts'
import { readRpmDatabase } from './rpm.ts'
import { ndbDatabase, rpmHeader, sqliteDatabase } from './rpm-fixtures.ts'

const sqlitePath = 'var/lib/rpm/rpmdb.sqlite'
const ndbPath = 'usr/lib/sysimage/rpm/Packages.db'

function read(content: Buffer, path = sqlitePath) {
  const maker = new InventoryMaker()
  readRpmDatabase(content, path, maker)
  return maker.inventory()
}

const openssl = rpmHeader({
  name: 'openssl-libs',
  version: '3.0.7',
  release: '27.el9',
  epoch: 1,
  architecture: 'x86_64',
  source: 'openssl-3.0.7-27.el9.src.rpm',
})
const bash = rpmHeader({ name: 'bash', version: '5.1.8', release: '9.el9', epoch: 0 })
const key = rpmHeader({ name: 'gpg-pubkey', version: '8483c65d', release: '5ccc5b19' })

it.each([
  ['SQLite', sqlitePath, sqliteDatabase],
  ['rpm’s own', ndbPath, ndbDatabase],
])(
  'packages of a database in %s format are found with epoch and source, keys are not',
  (_name, path, make) => {
    const { packages, unread } = read(make([openssl, key, bash]), path)
    expect(packages).toEqual([
      { kind: 'rpm', name: 'bash', version: '5.1.8-9.el9', paths: [path] },
      {
        kind: 'rpm',
        name: 'openssl-libs',
        version: '1:3.0.7-27.el9',
        architecture: 'x86_64',
        source: { name: 'openssl', version: '1:3.0.7-27.el9' },
        paths: [path],
      },
    ])
    expect(unread).toEqual([])
  },
)

it.each([512, 4096, 65_536])(
  'a database with many large headers is read completely, on pages of %i bytes',
  (bytes) => {
    const headers = Array.from({ length: 600 }, (_, at) =>
      rpmHeader({ name: `p${at}`, version: '1', release: '1', restBytes: (at * 97) % 9000 }),
    )
    const { packages, unread } = read(sqliteDatabase(headers, bytes))
    expect([packages.length, unread]).toEqual([600, []])
  },
)

it('a damaged database yields no more packages than it had', () => {
  const headers = Array.from({ length: 40 }, (_, at) =>
    rpmHeader({ name: `p${at}`, version: '1', release: '1', restBytes: at * 200 }),
  )
  const draw = new SeededRandom(7)
  for (const [path, whole] of [
    [sqlitePath, sqliteDatabase(headers, 1024)],
    [ndbPath, ndbDatabase(headers)],
  ] as const) {
    for (let round = 0; round < 2000; round += 1) {
      const content = Buffer.from(draw.chance(0.2) ? whole.subarray(0, draw.below(whole.length)) : whole)
      for (let count = draw.below(6); count > 0 && content.length > 0; count -= 1) {
        content[draw.below(draw.chance(0.5) ? Math.min(content.length, 2048) : content.length)] =
          draw.below(256)
      }
      expect(read(content, path).packages.length).toBeLessThanOrEqual(40 + 1)
    }
  }
})

it('a page that refers to itself, and rows that share bytes, end the read', () => {
  const circle = sqliteDatabase(
    Array.from({ length: 300 }, () => rpmHeader({ name: 'p', version: '1', release: '1' })),
    512,
  )
  const pages = circle.length / 512
  const rootOfPackages = Array.from({ length: pages }, (_, page) => page).find(
    (page) => page > 0 && circle[512 * page] === 0x05,
  )
  circle.writeUInt32BE((rootOfPackages ?? 0) + 1, 512 * (rootOfPackages ?? 0) + 8)
  expect(read(circle).unread).toEqual([{ path: sqlitePath, reason: 'malformed' }])

  const shared = ndbDatabase([bash, bash, bash])
  for (const slot of [3, 4]) shared.copyWithin(16 * slot + 8, 16 * 2 + 8, 16 * 2 + 16)
  expect(read(shared, ndbPath).unread).toEqual([{ path: ndbPath, reason: 'malformed' }])
})
