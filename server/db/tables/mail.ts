import type { Generated } from 'kysely'

export interface MailPreferencesTable {
  user_id: string
  company_id: string
  muted: string[]
}

export interface MailDeliveriesTable {
  id: string
  company_id: string
  user_id: string
  source: string
  event: string
  subject: string
  body: string
  lane: Generated<'first' | 'retry'>
  attempts: Generated<number>
  due_at: Date
  give_up_at: Date
  created_at: Date
  attempted_at: Date | null
  worker: string | null
  status: number | null
  error: string | null
  outcome: 'sent' | 'refused' | 'failed' | 'dropped' | null
}
