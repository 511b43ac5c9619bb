import { sql } from 'kysely'
import type { ColumnExpressions } from '../../../db/fast/row-text.ts'

/** What the version of a claimed run declares. */
export interface SecretsRow {
  secret_slot_declarations: unknown[] | null
}

export const secretsColumns: ColumnExpressions<SecretsRow> = {
  secret_slot_declarations: sql`v.secret_slot_declarations`,
}
