import type { Generated } from 'kysely'

export interface SessionsTable {
  id: string
  company_id: string
  chatroom_id: string
  principal_type: 'user' | 'social_media_client'
  principal_id: string
  api_key_id: string | null
  name: string | null
  size_limit_bytes: number
  /** Null: no files. */
  tree_id: string | null
  byte_size: Generated<number>
  file_count: Generated<number>
  revision: Generated<number>
  /** The run that holds it, from the queue to its end. */
  holder_run_id: string | null
  keep_hours: number
  created_at: Generated<Date>
  last_used_at: Generated<Date>
  expires_at: Date
  /** The user of a platform whose files they are, for a session of a door. */
  person: string | null
}

export interface SessionTreesTable {
  id: string
  company_id: string
  /** `trees/tree-text.ts` reads it. */
  content: Buffer
  left_at: Date | null
}

export interface SessionPacksTable {
  id: string
  company_id: string
  storage_key: string
  byte_size: number
  /** Null: a tree names it. */
  held_until: Date | null
}

export interface SessionTreePacksTable {
  tree_id: string
  pack_id: string
  company_id: string
}

export interface SessionFoldersTable {
  session_id: string
  company_id: string
  conversation: string
  folder: string
  used_at: Generated<Date>
}
