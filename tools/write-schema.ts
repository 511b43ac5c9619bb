import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '../server/base/logging.ts'
import { connect } from '../server/db/database.ts'
import { migrate } from '../server/db/migrate.ts'
import { startPostgres } from '../server/postgres/postgres.ts'
import { schemaDocument } from '../testing/database/schema-text.ts'
import { writeDocument } from './generated-document.ts'

/** Writes docs/schema.sql from a fresh database; with `--check` only reports whether it is up to date. */
async function freshSchema(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-schema-'))
  const postgres = await startPostgres({ dataDir: folder })
  const db = connect(postgres.url, { poolSize: 1, log: createLog('schema', 'error'), name: 'schema' })
  try {
    await migrate(db)
    return await schemaDocument(db)
  } finally {
    await db.destroy()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

writeDocument('schema.sql', await freshSchema(), { source: 'the migrations', command: 'npm run schema' })
