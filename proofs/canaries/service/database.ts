import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { Search } from '../search.ts'

const byteaType = 17
/** The present work of a connection is not in a table. */
const activity = 'pg_catalog.pg_stat_activity'

/** Runs `work` as the superuser of the embedded Postgres, who may read everything. */
export async function asSuperuser<T>(dataDir: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const folder = join(dataDir, 'postgres')
  const [port, password] = await Promise.all(
    ['port', 'superuser-password'].map(async (name) => (await readFile(join(folder, name), 'utf8')).trim()),
  )
  const client = new pg.Client({
    host: '127.0.0.1',
    port: Number(port),
    user: 'postgres',
    password,
    database: 'sandbox_jobs',
  })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Writes what is in memory to the files of the cluster. */
export const flush = (client: pg.Client): Promise<unknown> => client.query('checkpoint')

/** Searches every column of every row of every table and materialized view, those of the system too. */
export async function searchRows(client: pg.Client, search: Search): Promise<string[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name
     from pg_class c join pg_namespace n on n.oid = relnamespace
     where relkind in ('r', 'm') and not pg_is_other_temp_schema(n.oid) order by 1`,
  )
  const found: string[] = []
  for (const { name } of [...tables, { name: activity }])
    found.push(...(await searchTable(client, search, name)))
  return found
}

async function searchTable(client: pg.Client, search: Search, table: string): Promise<string[]> {
  const { rows, fields } = await client.query<(string | null)[]>({
    text: `select * from ${table}`,
    rowMode: 'array',
    // The text form of each value.
    types: { getTypeParser: () => (value: unknown) => value },
  })
  return fields.flatMap(({ name, dataTypeID }, at) =>
    search.in(`${table}.${name}`, Buffer.concat(rows.map((row) => bytesOf(row[at] ?? '', dataTypeID)))),
  )
}

/** Bytes as they are, everything else as text, with an end that no value has. */
function bytesOf(value: string, type: number): Buffer {
  const bytes = type === byteaType ? Buffer.from(value.slice('\\x'.length), 'hex') : Buffer.from(value)
  return Buffer.concat([bytes, Buffer.of(0)])
}
