import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDocument } from './generated-document.ts'
import { formatSql } from './sql/format-sql.ts'
import { printedStatements } from './sql/statements.ts'
import { renderTriggers } from './sql/triggers.ts'

/** Writes docs/sql from the code and docs/schema.sql; with `--check` only reports whether it is up to date. */
const written = 'Written by `npm run sql`; do not edit.'

for (const [name, statements] of Object.entries(printedStatements)) {
  const parts = statements.map(
    ({ about, sql }) => `${about.map((line) => `-- ${line}\n`).join('')}${formatSql(sql)};\n`,
  )
  writeDocument(`sql/${name}.sql`, [`-- ${written}\n`, ...parts].join('\n'), {
    source: 'the code',
    command: 'npm run sql',
  })
}

const intro = `# Triggers

Made from \`docs/schema.sql\`. ${written} Their functions are in \`server/db/schema\`.
`
const schema = readFileSync(join(import.meta.dirname, '../docs/schema.sql'), 'utf8')
writeDocument('sql/triggers.md', [intro, ...renderTriggers(schema)].join('\n'), {
  source: 'docs/schema.sql',
  command: 'npm run sql',
})
