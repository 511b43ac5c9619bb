import { sql } from 'kysely'
import type { Executing } from './database.ts'
import { firstMigration } from './first-schema.ts'

/** Names of the migrations that a database has applied; empty if it has no migration table. */
export async function listMigrations(db: Executing): Promise<string[]> {
  const { rows: tables } = await sql<{ there: boolean }>`
    select to_regclass('kysely_migration') is not null as there`.execute(db)
  if (!tables[0]?.there) return []
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/**
 * A migration after the first one is named `NNNN-expand-NAME` or `NNNN-contract-NAME`. An expansion only adds to the schema, so
 * releases from before work with it too; they know it by the name.
 */
const isExpansion = (name: string): boolean => /^\d{4}-expand-/.test(name)

/** The migrations that a database has applied, without those by which later releases have added to its schema. */
export async function listOwnMigrations(db: Executing, known: readonly string[]): Promise<string[]> {
  const recorded = await listMigrations(db)
  return recorded.filter((name) => known.includes(name) || !isExpansion(name))
}

/** Throws `SchemaProblem` unless migrations continue from what a database, or the one of a backup, has applied. */
export function checkRecord(recorded: readonly string[], known: readonly string[]): void {
  const [first] = recorded
  if (first !== undefined && !recorded.includes(firstMigration))
    throw new SchemaProblem(
      'schema_before_first_release',
      `the schema is of a development version from before the first release (it lacks ${firstMigration} and has ${first}), which no release carries on: docs/operations/upgrade.md says how to start anew`,
    )
  const later = recorded.find((name) => !known.includes(name))
  if (later !== undefined)
    throw new SchemaProblem(
      'schema_of_later_release',
      `the schema is of a later release, which applied ${later}: install that release or a later one, or restore a backup of this one (docs/operations/upgrade.md)`,
    )
}

type SchemaProblemSlug = 'schema_before_first_release' | 'schema_of_later_release'

/** This release cannot use the database. The message says what the operator can do. */
export class SchemaProblem extends Error {
  readonly slug: SchemaProblemSlug

  constructor(slug: SchemaProblemSlug, message: string) {
    super(message)
    this.name = 'SchemaProblem'
    this.slug = slug
  }
}
