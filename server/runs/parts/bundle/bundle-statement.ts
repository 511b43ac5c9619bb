import { sql } from 'kysely'
import type { BundleFormat } from '../../../../reader/formats/bundle-entries.ts'
import type { ColumnExpressions } from '../../../db/fast/row-text.ts'

/** The stored bundle of a run's version. */
export interface RunBundle {
  storage_key: string
  archive_format: BundleFormat
  byte_size: number
  digest: string
  /** Seconds since 1970. */
  uploaded_at: number
}

export interface BundleRow {
  bundle: RunBundle | null
}

export const bundleColumns: ColumnExpressions<BundleRow> = {
  bundle: sql`(
      select jsonb_build_object('storage_key', b.storage_key, 'archive_format', b.archive_format,
        'byte_size', b.byte_size, 'digest', b.digest, 'uploaded_at', extract(epoch from b.created_at))
      from task_bundles b where b.id = v.bundle_id and b.company_id = v.company_id)`,
}
