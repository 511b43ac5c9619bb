import type { ExtendedSecretApproval } from '@sandbox-jobs/contract/resources/secrets/extended-secret-approval.ts'
import type { SecretBinding } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import type { MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'
import type { SecretSlotStatus } from '@sandbox-jobs/contract/resources/tasks/secret-slot.ts'
import type { Consumer } from '../../data/rooms/secrets.ts'

/** A slot of a job, and the value that a consumer has stored for it. */
export interface JobSlot {
  slot: SecretSlotStatus
  stored: SecretBinding | undefined
  /** The owner of the job supplies it: a value of anybody else is not used. */
  isOwners: boolean
}

type Job = Pick<MenuItem, 'task_id' | 'owner_scope' | 'owner_id' | 'secret_slots'>

const ownsJob = (job: Job, { consumer_scope, consumer_id }: Consumer): boolean =>
  job.owner_scope === consumer_scope && job.owner_id === consumer_id

export const slotsOf = (job: Job, consumer: Consumer, secrets: readonly SecretBinding[]): JobSlot[] =>
  job.secret_slots.map((slot) => ({
    slot,
    stored: secrets.find(({ task_id, slot_name }) => task_id === job.task_id && slot_name === slot.name),
    isOwners: slot.policy === 'owner' && !ownsJob(job, consumer),
  }))

/**
 * Names of the slots that runs get from the consumer and for which the version needs its approval. `narrower` are the
 * secrets of the consumers that a run asks before it.
 */
export function slotsToApprove(
  job: Job,
  consumer: Consumer,
  { own, narrower }: { own: readonly SecretBinding[]; narrower: readonly SecretBinding[] },
): string[] {
  if (ownsJob(job, consumer)) return []
  const has = (secrets: readonly SecretBinding[], name: string) =>
    secrets.some(({ task_id, slot_name }) => task_id === job.task_id && slot_name === name)
  return job.secret_slots
    .filter(({ name, policy }) => policy !== 'owner' && has(own, name) && !has(narrower, name))
    .map(({ name }) => name)
}

/** The identity of a set of slots, as approvals have it. */
export async function slotSetHash(names: readonly string[]): Promise<string> {
  const bytes = new TextEncoder().encode(names.toSorted().join('\n'))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return `sha256:${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** The approval that counts for exactly these slots of the consumer. */
export const approvalFor = (
  approvals: readonly ExtendedSecretApproval[],
  { consumer_scope, consumer_id }: Consumer,
  hash: string,
): ExtendedSecretApproval | undefined =>
  approvals.find(
    (approval) =>
      approval.consumer_scope === consumer_scope &&
      approval.consumer_id === consumer_id &&
      approval.slot_set_hash === hash,
  )

/** Secrets of tasks that the room does not offer now. */
export const secretsElsewhere = (jobs: readonly Job[], secrets: readonly SecretBinding[]): SecretBinding[] =>
  secrets.filter(
    ({ task_id, slot_name }) =>
      !jobs.some((job) => job.task_id === task_id && job.secret_slots.some(({ name }) => name === slot_name)),
  )
