import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface RpmFields {
  name: string
  version: string
  release: string
  epoch?: number
  architecture?: string
  source?: string
  /** Bytes of other data in the header. */
  restBytes?: number
}

const [int32, string, binary] = [4, 6, 7]

/** A package's header as in rpm's database. */
export function rpmHeader(fields: RpmFields): Buffer {
  const values: [tag: number, type: number, value: Buffer][] = []
  const add = (tag: number, value: string | undefined) => {
    if (value !== undefined) values.push([tag, string, Buffer.from(`${value}\0`)])
  }
  add(1000, fields.name)
  add(1001, fields.version)
  add(1002, fields.release)
  if (fields.epoch !== undefined) values.push([1003, int32, numbers(fields.epoch)])
  add(1022, fields.architecture)
  add(1044, fields.source)
  values.push([1117, binary, Buffer.alloc(fields.restBytes ?? 0, 'x')])
  let offset = 0
  const index = values.map(([tag, type, { length }]) => {
    const entry = numbers(tag, type, offset, 1)
    offset += length
    return entry
  })
  const data = values.map(([, , value]) => value)
  return Buffer.concat([numbers(values.length, offset), ...index, ...data])
}

function numbers(...all: number[]): Buffer {
  const bytes = Buffer.alloc(4 * all.length)
  for (const [at, number] of all.entries()) bytes.writeUInt32BE(number, 4 * at)
  return bytes
}

/** A database with these headers, written by SQLite. */
export function sqliteDatabase(headers: Buffer[], pageBytes = 4096): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'rpm-fixture-'))
  const path = join(folder, 'rpmdb.sqlite')
  const database = new DatabaseSync(path)
  database.exec(`pragma page_size = ${pageBytes}`)
  database.exec(
    'create table Other (a); create table Packages (hnum integer primary key, blob blob not null)',
  )
  database.exec('create table Name (key text, hnum integer); create index names on Name (key); begin')
  const insert = database.prepare('insert into Packages (blob) values (?)')
  for (const header of headers) insert.run(header)
  database.exec('commit')
  database.close()
  const file = readFileSync(path)
  rmSync(folder, { recursive: true })
  return file
}

/** The same in rpm's ndb format. */
export function ndbDatabase(headers: Buffer[]): Buffer {
  const slotPage = Buffer.alloc(4096)
  slotPage.write('RpmP', 0, 'latin1')
  slotPage.writeUInt32LE(1, 12)
  const blobs: Buffer[] = []
  let block = slotPage.length / 16
  for (let slot = 2; slot < slotPage.length / 16; slot += 1) {
    slotPage.write('Slot', 16 * slot, 'latin1')
    const header = headers[slot - 2]
    if (!header) continue
    const blob = Buffer.alloc(Math.ceil((16 + header.length + 12) / 16) * 16)
    blob.write('BlbS', 0, 'latin1')
    blob.writeUInt32LE(slot, 4)
    blob.writeUInt32LE(header.length, 12)
    header.copy(blob, 16)
    for (const [at, number] of [slot, block, blob.length / 16].entries()) {
      slotPage.writeUInt32LE(number, 16 * slot + 4 + 4 * at)
    }
    block += blob.length / 16
    blobs.push(blob)
  }
  return Buffer.concat([slotPage, ...blobs])
}
