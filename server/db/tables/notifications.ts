import type { Generated, GeneratedAlways } from 'kysely'

/** Written by triggers and `server/work/outbox.ts`. */
export interface EventOutboxTable {
  id: GeneratedAlways<number>
  company_id: string
  event: string
  subject_id: string
  count: Generated<number>
  written_by: Generated<string>
  at: Generated<Date>
}

export interface ContentExpiryNoticesTable {
  company_id: string
  ended_before: Date
}

export interface NotificationsTable {
  id: string
  place: GeneratedAlways<number>
  company_id: string
  user_id: string
  source: string
  event: string
  title: string
  deep_link: string
  subject_type: string
  subject_id: string | null
  chatroom_id: string | null
  count: Generated<number>
  created_at: Date
  read_at: Date | null
}

export interface WebhooksTable {
  id: string
  company_id: string
  url: string
  description: string
  events: string[]
  created_by: string
  created_at: Generated<Date>
  paused_at: Date | null
  paused_because: 'manager' | 'gone' | 'failing' | null
  failing_since: Date | null
  dropped: Generated<number>
  is_slow: Generated<boolean>
}

export interface WebhookSecretsTable {
  id: string
  company_id: string
  webhook_id: string
  key_id: string
  wrapped_key: Buffer
  iv: Buffer
  ciphertext: Buffer
  created_at: Generated<Date>
  expires_at: Date | null
}

export interface WebhookDeliveriesTable {
  id: string
  place: GeneratedAlways<number>
  company_id: string
  webhook_id: string
  event_id: string
  event: string
  body: string
  lane: 'first' | 'retry'
  attempts: Generated<number>
  due_at: Date
  give_up_at: Date
  created_at: Generated<Date>
  attempted_at: Date | null
  worker: string | null
  status: number | null
  error: string | null
  outcome: 'delivered' | 'failed' | null
}
