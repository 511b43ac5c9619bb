import type { Generated } from 'kysely'

export interface SocialMediaClientsTable {
  id: string
  company_id: string
  chatroom_id: string
  channel: string
  client_id: string
  display_name: Generated<string>
  created_at: Generated<Date>
  removed_at: Date | null
}

export interface GatewayKeysTable {
  id: string
  company_id: string
  name: string
  key_hash: Buffer
  pepper: number
  created_at: Generated<Date>
  revoked_at: Date | null
  last_used_at: Date | null
}

export interface RoomSequencesTable {
  chatroom_id: string
  company_id: string
  last_sequence: number
}

export interface RoomMessagesTable {
  id: string
  company_id: string
  chatroom_id: string
  sequence: number
  principal_type: 'user' | 'social_media_client' | 'system'
  principal_id: string
  gateway_key_id: string | null
  text: string
  /** The run whose end the service reports. */
  run_id: string | null
  created_at: Generated<Date>
}

export interface OAuthGrantsTable {
  id: string
  company_id: string
  user_id: string
  chatroom_id: string
  client_name: string
  client_hash: Buffer
  credential_generation: number
  refresh_sequence: Generated<number>
  created_at: Date
  refreshed_at: Date
  expires_at: Date
  revoked_at: Generated<Date | null>
}

export interface AgentProposalsTable {
  id: string
  company_id: string
  chatroom_id: string
  principal_type: 'user' | 'social_media_client'
  principal_id: string
  origin_message_id: string | null
  origin_sequence: number
  task_id: string
  task_version_id: string
  timeout_seconds: number
  input: Buffer
  input_digest: string
  summary: string
  state: Generated<string>
  created_at: Generated<Date>
  expires_at: Date
  ended_at: Date | null
  turn_message_id: string | null
  run_id: string | null
}
