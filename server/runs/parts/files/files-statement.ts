import { sql } from 'kysely'
import type { ColumnExpressions } from '../../../db/fast/row-text.ts'

/** A file that a run takes: part of a stored object. */
export interface StoredRunFile {
  name: string
  byte_size: number
  digest: string
  /** Null if the file was deleted while the run was queued. */
  key: string | null
  start: number
  /** When it was uploaded, or last changed by the run that left it; seconds since 1970. Null with `key`. */
  stored_at: number | null
}

export interface FilesRow {
  files: StoredRunFile[]
}

export const filesColumns: ColumnExpressions<FilesRow> = {
  files: sql`coalesce((
      select jsonb_agg(jsonb_build_object('name', f.name, 'byte_size', f.byte_size, 'digest', f.digest,
        'key', coalesce(u.storage_key, c.bundle_key), 'start', coalesce(a.bundle_offset, 0),
        'stored_at', extract(epoch from coalesce(u.created_at, a.modified_at, c.created_at))) order by f.place)
      from run_files f
      left join input_files u on u.id = f.file_id and u.company_id = f.company_id
      left join run_artifacts a on a.id = f.artifact_id and a.company_id = f.company_id
      left join run_contents c on c.run_id = a.run_id and c.company_id = a.company_id and c.state = 'active'
      where f.run_id = run.id and f.company_id = run.company_id
    ), '[]')`,
}
