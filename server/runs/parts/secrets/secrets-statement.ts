import { sql } from 'kysely'
import type { ColumnExpressions } from '../../../db/fast/row-text.ts'

/** Declarations of the version of a claimed run. */
export interface SecretsRow {
  secret_slot_declarations: unknown[] | null
}

export const secretsColumns: ColumnExpressions<SecretsRow> = {
  secret_slot_declarations: sql`v.secret_slot_declarations`,
}
