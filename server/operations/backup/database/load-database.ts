import { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { refuseRestoredEvents } from '../../../custom-tables/triggers/row-events.ts'
import type { Database, Trx } from '../../../db/database.ts'
import { migrate, migrateToRelease } from '../../../db/migrate.ts'
import { endRestoredRuns } from '../../../runs/drive/finish-run.ts'
import { skipRestoredTicks } from '../../../schedules/catalogue/schedules.ts'
import { BackupProblem } from '../backup-problem.ts'
import { type BackupSource, contentOf } from '../encryption/backup-files.ts'
import type { Manifest } from '../manifest.ts'
import { linesOf } from '../streams.ts'
import { rowsFile } from './dump-database.ts'
import { analyze, insertRows, listColumns, setSequence, whileLoading } from './load-store.ts'
import { disableTimeouts, emptyMachineTables, listTables } from './table-store.ts'

const rowsAtOnce = 1000
const charactersAtOnce = 4 * 1024 ** 2

export interface Settled {
  /** Number of runs that were active when the backup was made. */
  endedRuns: number
  /** Number of row events that waited for their run then. */
  refusedEvents: number
}

export interface Loaded extends Settled {
  rows: number
}

/**
 * Fills an empty database. The schema of the backup's release is created first. One transaction then loads all rows, and ends the
 * work that had not ended. Last, the schema is migrated to this release.
 */
export async function loadDatabase(db: Database, backup: BackupSource): Promise<Loaded> {
  const { manifest } = backup
  await migrateToRelease(db, manifest.migrations)
  const loaded = await db.transaction().execute(async (trx) => {
    await checkTables(trx, manifest)
    const tables = manifest.tables.map(({ name }) => name)
    await whileLoading(trx, tables, async () => {
      for (const table of manifest.tables) await loadTable(trx, table, backup)
      for (const [name, last] of Object.entries(manifest.sequences)) await setSequence(trx, name, last)
    })
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
    return { rows, ...(await endWork(trx)) }
  })
  await migrate(db)
  await analyze(db)
  return loaded
}

/** The same for a database that was recovered as a whole: what describes the former machine is removed. */
export async function settleDatabase(db: Database): Promise<Settled> {
  const settled = await db.transaction().execute(async (trx) => {
    await disableTimeouts(trx)
    await emptyMachineTables(trx)
    return endWork(trx)
  })
  await migrate(db)
  await analyze(db)
  return settled
}

/**
 * Ends every active run, refuses the row events that wait for theirs and skips the ticks that have come, so that nothing that may have
 * run since runs again.
 */
async function endWork(trx: Trx): Promise<Settled> {
  await skipRestoredTicks(trx)
  return { endedRuns: await endRestoredRuns(trx), refusedEvents: await refuseRestoredEvents(trx) }
}

async function checkTables(trx: Trx, manifest: Manifest): Promise<void> {
  const here = await listTables(trx)
  const there = manifest.tables.map(({ name }) => name)
  const differing = here
    .filter((name) => !there.includes(name))
    .concat(there.filter((name) => !here.includes(name)))
  if (differing.length === 0) return
  throw new BackupProblem(`tables of the backup that its release does not have: ${differing.join(', ')}`)
}

async function loadTable(
  trx: Trx,
  { name: table, rows: expected }: { name: string; rows: number },
  backup: BackupSource,
): Promise<void> {
  const columns = await listColumns(trx, table)
  const into = { table, columns }
  let batch: string[] = []
  let characters = 0
  let rows = 0
  const flush = async () => {
    if (batch.length > 0) await insertRows(trx, into, batch)
    batch = []
    characters = 0
  }
  const load = async (text: AsyncIterable<Buffer>) => {
    for await (const line of linesOf(text)) {
      const row = JSON.parse(line) as string
      batch.push(row)
      rows += 1
      characters += row.length
      if (batch.length >= rowsAtOnce || characters >= charactersAtOnce) await flush()
    }
    await flush()
  }
  await pipeline([...contentOf(backup, rowsFile(table)), createGunzip(), Duplex.from(load)])
  if (rows !== expected)
    throw new BackupProblem(`${rowsFile(table)} holds ${rows} rows instead of ${expected}`)
}
