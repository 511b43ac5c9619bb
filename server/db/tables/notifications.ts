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
