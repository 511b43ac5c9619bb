import type { Static } from 'typebox'
import { OneOf } from '../../schema.ts'

/** Why a run has not started yet, and what its owner can do. Empty while running and when terminal. */
export const waitActions = {
  awaiting_dispatch: 'The run is in the queue and starts in its turn.',
  company_saturated:
    'Your company has reached its maximum number of concurrent runs. The run starts when another one ends.',
  session_in_use:
    'Another run holds the session. The run starts when that one and those before it have ended.',
  no_active_region: 'No allowed region can take the run. Ask a company manager to allow another region.',
  missing_image_digest: 'The image is not ready on any host. Check the environment version.',
  capacity_snapshot_stale: 'The platform is measuring its free capacity. Wait.',
  provider_capacity_exhausted: 'Every host is full. The run starts when another one ends.',
  provider_submit_pending: 'The run was handed to a host that has not confirmed it yet. Wait.',
  provider_submit_uncertain:
    'A host did not respond; the platform is checking whether the run started. Wait.',
  container_starting: 'The sandbox is starting.',
  cancel_pending: 'The run is being cancelled.',
} as const

export type RunWaitReason = keyof typeof waitActions

export const runWaitReasons = [
  'awaiting_dispatch',
  'company_saturated',
  'session_in_use',
  'no_active_region',
  'missing_image_digest',
  'capacity_snapshot_stale',
  'provider_capacity_exhausted',
  'provider_submit_pending',
  'provider_submit_uncertain',
  'container_starting',
  'cancel_pending',
] as const satisfies RunWaitReason[]

export const WaitReason = OneOf(['', ...runWaitReasons])
export type WaitReason = Static<typeof WaitReason>

/** The text of `next_action`; empty if the run is not waiting. */
export const waitAction = (reason: WaitReason): string => (reason === '' ? '' : waitActions[reason])
