import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip, type Gzip } from 'node:zlib'
import type { Database, Trx } from '../../../db/database.ts'
import { listMigrations } from '../../../db/recorded-migrations.ts'
import { type BackupTarget, writeBackupFile } from '../encryption/backup-files.ts'
import type { ListedFile } from '../file-list.ts'
import type { Manifest } from '../manifest.ts'
import { listTables, readRows, readSequences, takeSnapshot } from './table-store.ts'

export interface Dump extends Pick<Manifest, 'migrations' | 'tables' | 'sequences'> {
  files: ListedFile[]
}

/** Path of a table's rows in a backup that is not encrypted. */
export const rowsFile = (table: string): string => `database/${table}.rows.gz`

/** Dumps every table from one snapshot. */
export async function dumpDatabase(db: Database, target: BackupTarget): Promise<Dump> {
  await mkdir(join(target.target, 'database'), { mode: 0o700 })
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      await takeSnapshot(trx)
      const dump: Dump = { migrations: await listMigrations(trx), tables: [], sequences: {}, files: [] }
      for (const name of await listTables(trx)) {
        const { rows, file } = await dumpTable(trx, name, target)
        dump.tables.push({ name, rows })
        dump.files.push(file)
      }
      dump.sequences = await readSequences(trx)
      return dump
    })
}

async function dumpTable(
  trx: Trx,
  table: string,
  target: BackupTarget,
): Promise<{ rows: number; file: ListedFile }> {
  let rows = 0
  const lines = async function* () {
    for await (const row of readRows(trx, table)) {
      rows += 1
      yield `${JSON.stringify(row)}\n`
    }
  }
  const content: [Readable, Gzip] = [Readable.from(lines()), createGzip({ level: 3 })]
  const file = await writeBackupFile(content, rowsFile(table), target)
  return { rows, file }
}
