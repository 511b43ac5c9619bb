import { CompiledQuery, type RawBuilder } from 'kysely'
import pg from 'pg'
import { arrayText } from './array-text.ts'
import type { Database } from './database.ts'

/** How a statement's text says that a connection is to keep its plan. */
export const plannedOnceTag = '/* planned once */ '

/**
 * Executes a statement with its values in its text, for which a connection makes one plan and keeps it. A statement with
 * parameters is planned anew at each execution for as long as a plan for any values looks costlier than the average of
 * those that were made for values at hand, and that average is of the sizes that tables had then: where tables were short
 * when a connection was new, a hundred claims were planned. For statements with few values, none of them a tenant's: each
 * text is another plan.
 */
export async function executePlannedOnce<Row>(db: Database, statement: RawBuilder<Row>): Promise<Row[]> {
  const { sql: text, parameters } = statement.compile(db)
  const whole = text.replace(/\$(\d+)/g, (_, number: string) => literal(parameters[Number(number) - 1]))
  const { rows } = await db.executeQuery(CompiledQuery.raw(`${plannedOnceTag}${whole}`))
  return rows as Row[]
}

function literal(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'string') return pg.escapeLiteral(value)
  if (Array.isArray(value)) return pg.escapeLiteral(arrayText(value))
  throw new Error('a value cannot be part of a statement')
}
