import type { InventoryMaker } from '../inventory-maker.ts'
import { blobsOf } from './rpm-ndb.ts'
import { rowsOf } from './sqlite-table.ts'

/*
 * The rpm database: the headers of the installed packages, each a blob, in an SQLite file (Fedora, Red Hat and
 * derivatives) or in rpm's ndb format (SUSE). The older Berkeley DB format is reported as unread.
 */

const folder = '(?:usr/lib/sysimage|var/lib)/rpm'
const databases = {
  sqlite: new RegExp(`^${folder}/rpmdb\\.sqlite$`),
  ndb: new RegExp(`^${folder}/Packages\\.db$`),
}
/** Includes a non-empty SQLite write-ahead log, whose rows are not in the database yet. */
const unreadFiles = new RegExp(`^${folder}/(?:Packages|rpmdb\\.sqlite-wal)$`)

export const isRpmDatabase = (path: string): boolean =>
  databases.sqlite.test(path) || databases.ndb.test(path)

export const isUnreadRpmDatabase = (path: string, byteSize: number): boolean =>
  byteSize > 0 && unreadFiles.test(path)

export function readRpmDatabase(content: Buffer, path: string, maker: InventoryMaker): void {
  try {
    for (const header of databases.sqlite.test(path) ? sqliteHeaders(content) : blobsOf(content)) {
      addPackage(header, path, maker)
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    maker.addUnread({ path, reason: 'malformed' })
  }
}

function* sqliteHeaders(content: Buffer): Generator<Buffer> {
  for (const [, header] of rowsOf(content, 'Packages')) {
    if (!Buffer.isBuffer(header)) throw new RangeError('a package without a header')
    yield header
  }
}

/** Tags of rpm's headers. */
const tags = { name: 1000, version: 1001, release: 1002, epoch: 1003, architecture: 1022, source: 1044 }
const tagNames = new Map(Object.entries(tags).map(([name, tag]) => [tag, name]))
const [int32, string] = [4, 6]
const maxEntries = 65_536
const entryBytes = 16
const maxTextBytes = 512
const sourceRpm = /^(.+)-([^-]+-[^-]+)\.(?:no)?src\.rpm$/

function addPackage(header: Buffer, path: string, maker: InventoryMaker): void {
  const values = valuesOf(header)
  const { name = '', architecture = '', version, release } = values
  // rpm records trusted keys as packages.
  if (name === 'gpg-pubkey') return
  const epoch = Number(values.epoch ?? 0) > 0 ? `${values.epoch}:` : ''
  const [, sourceName, sourceVersion] = sourceRpm.exec(values.source ?? '') ?? []
  maker.addPackage(
    {
      kind: 'rpm',
      name,
      version: version && release ? `${epoch}${version}-${release}` : '',
      ...(/^[a-z0-9_]{1,32}$/.test(architecture) && { architecture }),
      ...(sourceName && sourceVersion && { source: { name: sourceName, version: epoch + sourceVersion } }),
    },
    path,
  )
}

/** Parses a header: an index of (tag, type, offset, count), then the data. */
function valuesOf(header: Buffer): Partial<Record<string, string>> {
  const entries = header.readUInt32BE(0)
  if (entries > maxEntries) throw new RangeError('a header too large')
  const dataAt = 8 + entries * entryBytes
  const values: Partial<Record<string, string>> = {}
  for (let at = 8; at < dataAt; at += entryBytes) {
    const name = tagNames.get(header.readUInt32BE(at))
    if (name === undefined) continue
    const type = header.readUInt32BE(at + 4)
    const valueAt = dataAt + header.readUInt32BE(at + 8)
    if (type === int32) values[name] = String(header.readUInt32BE(valueAt))
    if (type === string) values[name] = textAt(header, valueAt)
  }
  return values
}

function textAt(header: Buffer, at: number): string {
  const end = header.indexOf(0, at)
  if (end === -1 || end - at > maxTextBytes) throw new RangeError('a text without an end')
  return header.toString('utf8', at, end)
}
