import type { Texts } from '../texts/en.ts'
import type { IconName } from './icon.tsx'

export type Tone = 'soft' | 'accent' | 'success' | 'danger' | 'warning' | 'platform'
export type StateWord = keyof Texts['states']

/** How a state looks everywhere: in badges, charts, timelines and the icon of the page. */
export interface StateLook {
  tone: Tone
  icon: IconName
  word: StateWord
  /** It goes on by itself, so it changes while somebody looks at it. */
  isLive: boolean
}

const look = (tone: Tone, icon: IconName, word: StateWord): StateLook => ({ tone, icon, word, isLive: false })
const live = (tone: Tone, icon: IconName, word: StateWord): StateLook => ({ tone, icon, word, isLive: true })

const queued = live('soft', 'clock', 'queued')
const cancelling = live('warning', 'stopping', 'cancel_requested')
const active = look('success', 'done', 'active')
const archived = look('soft', 'archive', 'archived')
const revoked = look('soft', 'cancelled', 'revoked')
const blocked = look('warning', 'warning', 'blocked')
const draft = look('soft', 'draft', 'draft')
const expired = look('soft', 'clock', 'expired')
const ends = {
  completed: look('success', 'done', 'completed'),
  customer_failed: look('danger', 'failed', 'customer_failed'),
  platform_failed: look('platform', 'broken', 'platform_failed'),
  cancelled: look('soft', 'cancelled', 'cancelled'),
}
const catalogue = { active, archived }

/** Every state of every life cycle of the contract. */
export const stateLooks = {
  run: {
    queued,
    starting: live('accent', 'dashed', 'starting'),
    running: live('accent', 'play', 'running'),
    cancel_requested: cancelling,
    ...ends,
  },
  build_attempt: {
    validation_queued: queued,
    validating: live('accent', 'play', 'validating'),
    build_queued: queued,
    building: live('accent', 'play', 'building'),
    verifying: live('accent', 'play', 'verifying'),
    cancel_requested: cancelling,
    cancelling,
    ...ends,
  },
  environment: catalogue,
  task: catalogue,
  custom_table: catalogue,
  table_command: catalogue,
  table_trigger: catalogue,
  task_version: { draft, published: look('success', 'done', 'published'), archived },
  environment_version: {
    draft,
    build_queued: queued,
    building: live('accent', 'play', 'building'),
    quarantined: live('accent', 'dashed', 'quarantined'),
    verifying: live('accent', 'play', 'verifying'),
    verified: live('accent', 'dashed', 'verified'),
    regional_provisioning: live('accent', 'dashed', 'provisioning'),
    provisioning_blocked: blocked,
    ready: look('success', 'done', 'ready'),
    retryable_failed: look('platform', 'broken', 'retryable_failed'),
    rejected: look('danger', 'failed', 'rejected'),
    abandoned: look('soft', 'cancelled', 'abandoned'),
    blocked,
    superseded: look('soft', 'archive', 'superseded'),
    archived,
  },
  upload_session: {
    initiating: live('accent', 'dashed', 'starting'),
    uploading: live('accent', 'upload', 'uploading'),
    completing: live('accent', 'dashed', 'verifying'),
    completed: ends.completed,
    abort_pending: cancelling,
    aborted: ends.cancelled,
  },
  security_finding: {
    discovered: look('warning', 'warning', 'discovered'),
    reappeared: look('warning', 'warning', 'reappeared'),
    excepted: look('soft', 'clock', 'excepted'),
    blocked,
    resolved: look('success', 'done', 'resolved'),
    closed: look('soft', 'archive', 'closed'),
  },
  security_exception: { active, revoked, expired },
  share_grant: { active, revoked },
  binding: { enabled: look('success', 'done', 'enabled'), revoked },
  secret_binding: {
    pending: live('soft', 'clock', 'pending'),
    active,
    revoking: live('warning', 'stopping', 'revoking'),
    revoked,
  },
  secret_operation: {
    prepared: live('soft', 'clock', 'pending'),
    applying: live('accent', 'dashed', 'applying'),
    reconciling: live('accent', 'dashed', 'applying'),
    applied: active,
    revoking: live('warning', 'stopping', 'revoking'),
    terminal: revoked,
  },
  secret_approval: { active, revoked },
  agent_proposal: {
    prepared: look('warning', 'clock', 'to_confirm'),
    committing: live('accent', 'dashed', 'starting'),
    committed: look('success', 'done', 'confirmed'),
    superseded: look('soft', 'archive', 'superseded'),
    cancelled: ends.cancelled,
    expired,
    failed: ends.customer_failed,
  },
} satisfies Record<string, Record<string, StateLook>>

export type MachineName = keyof typeof stateLooks

const unknown = look('soft', 'dashed', 'unknown')

/** A state that this page does not know yet is shown as such: the service may be newer. */
export function lookOf(machine: MachineName, state: string): StateLook {
  const looks: Readonly<Record<string, StateLook>> = stateLooks[machine]
  return looks[state] ?? unknown
}
