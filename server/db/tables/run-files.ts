import type { Generated } from 'kysely'

export interface InputFilesTable {
  id: string
  company_id: string
  chatroom_id: string
  principal_type: 'user' | 'social_media_client'
  principal_id: string
  api_key_id: string | null
  name: string
  media_type: string
  storage_key: string
  byte_size: number
  digest: string
  created_at: Generated<Date>
  look_at: Date
}

/** Either an uploaded file or an artifact of another run. */
export interface RunFilesTable {
  run_id: string
  company_id: string
  /** Position in the request, from 0. */
  place: number
  name: string
  byte_size: number
  digest: string
  file_id: string | null
  source_run_id: string | null
  artifact_id: string | null
}

export interface RunMetadataTable {
  run_id: string
  company_id: string
  chatroom_id: string
  key: string
  value: string
  queued_at: Date
}
