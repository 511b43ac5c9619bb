import type { Generated } from 'kysely'

export interface ScriptUploadsTable {
  id: string
  company_id: string
  task_id: string
  filename: string
  content: string
  byte_size: number
  digest: string
  created_by: string
  created_at: Generated<Date>
  expires_at: Date
}

export interface TaskBundlesTable {
  id: string
  company_id: string
  task_id: string
  filename: string
  archive_format: string
  storage_key: string
  byte_size: number
  digest: string
  file_count: number
  created_by: string
  created_at: Generated<Date>
  expires_at: Date
  look_at: Date
}

export interface StagingLeasesTable {
  id: string
  company_id: string
  object_kind: string
  declared_bytes: number
  storage_key: string | null
  created_at: Generated<Date>
  held_until: Date | null
}
