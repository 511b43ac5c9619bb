import { CompiledQuery, type QueryExecutorProvider, type RawBuilder } from 'kysely'
import pg from 'pg'
import { arrayText } from './array-text.ts'
import { plannedOnceTag } from './named-statements.ts'

/**
 * Executes a statement with its values inlined as literals, so that a connection plans it once and keeps the plan. A
 * statement with parameters is planned again at each execution while a generic plan looks more expensive than the average
 * of the earlier custom plans. That average reflects the table sizes of that time: on connections opened while tables
 * were short, a hundred claims were planned. Use it only for statements with few distinct values and without tenant
 * values: each distinct text is another plan.
 */
export async function executePlannedOnce<Row>(
  db: QueryExecutorProvider,
  statement: RawBuilder<Row>,
): Promise<Row[]> {
  const { sql: text, parameters } = statement.compile(db)
  const whole = text.replace(/\$(\d+)/g, (_, number: string) => literal(parameters[Number(number) - 1]))
  const { rows } = await db.getExecutor().executeQuery(CompiledQuery.raw(`${plannedOnceTag}${whole}`))
  return rows as Row[]
}

function literal(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'string') return pg.escapeLiteral(value)
  if (Array.isArray(value)) return pg.escapeLiteral(arrayText(value))
  throw new Error('a value has no literal form in a statement')
}
