import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../base/logging.ts'
import { connect } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { startPostgres } from '../postgres/postgres.ts'
import { schemaText } from './schema-text.ts'

/** Writes docs/schema.sql from a fresh database; with `--check` only says whether it is up to date. */
const path = join(import.meta.dirname, '../../docs/schema.sql')

const intro = `-- The schema that the migrations make (server/db/migrations), in Postgres's own words.
-- Written by \`npm run schema\`; do not edit.

`

async function freshSchema(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-schema-'))
  const postgres = await startPostgres({ dataDir: folder })
  const db = connect(postgres.url, { poolSize: 1, log: createLog('schema', 'error'), name: 'schema' })
  try {
    await migrate(db)
    return await schemaText(db)
  } finally {
    await db.destroy()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const text = intro + (await freshSchema())

if (process.argv.includes('--check')) {
  if (readFileSync(path, 'utf8') !== text) {
    console.error('docs/schema.sql is not what the migrations make: npm run schema writes it')
    process.exitCode = 1
  }
} else {
  writeFileSync(path, text)
}
