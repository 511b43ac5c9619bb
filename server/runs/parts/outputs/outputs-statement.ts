import { sql } from 'kysely'
import type { ColumnExpressions } from '../../../db/fast/row-text.ts'

/** The output policy of a claimed run's version, and who is behind the run. */
export interface OutputsRow {
  output_policy: unknown
  /** The person who wrote the version, and the one who published it. */
  author: string
  publisher: string
  principal_type: 'user' | 'social_media_client'
  principal_id: string
  submission_source: string
}

export const outputsColumns: ColumnExpressions<OutputsRow> = {
  output_policy: sql`v.output_policy`,
  author: sql`v.created_by`,
  publisher: sql`coalesce(v.published_by, v.created_by)`,
  principal_type: sql`run.principal_type`,
  principal_id: sql`run.principal_id`,
  submission_source: sql`run.submission_source`,
}
