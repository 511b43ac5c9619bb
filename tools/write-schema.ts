import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../server/base/logging.ts'
import { connect } from '../server/db/database.ts'
import { migrate } from '../server/db/migrate.ts'
import { startPostgres } from '../server/postgres/postgres.ts'
import { schemaText } from '../testing/database/schema-text.ts'
import { writeDocument } from './generated-document.ts'

/** Writes docs/schema.sql from a fresh database; with `--check` only reports whether it is up to date. */
const intro = `-- The schema that the migrations make (server/db/schema), in Postgres's own words.
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

writeDocument('schema.sql', text, { source: 'the migrations', command: 'npm run schema' })
