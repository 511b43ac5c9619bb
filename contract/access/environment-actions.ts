import type { Action } from './action.ts'
import { everybody, ownerManagers } from './role.ts'

const managed = { subject: 'owned', roles: ownerManagers, key: 403, refusal: 'hidden' } as const

/** Environments, their versions, builds and findings. Nobody manages a curated environment; everybody may read it. */
export const environmentActions = {
  'environment.list': {
    does: 'List environments, curated ones included',
    subject: 'company',
    roles: everybody,
    key: 403,
    refusal: 'none',
  },
  'environment.read': {
    does: 'Read an environment, its versions and builds',
    subject: 'owned',
    roles: everybody,
    key: 403,
    refusal: 'hidden',
  },
  'environment.read_source': {
    ...managed,
    does: 'See the source and error details of versions and builds',
    refusal: 'omitted',
  },
  'environment.create': { ...managed, does: 'Create an environment for an owner' },
  'environment.change': { ...managed, does: 'Change or archive an environment and its versions' },
  'environment.upload': { ...managed, does: 'Upload build contexts' },
  'environment.build': { ...managed, does: 'Queue, retry and cancel builds and provisioning' },
  'environment.inspect': {
    ...managed,
    does: 'Read build logs and details, images, signatures, provenance, scan reports and findings',
  },
  'finding.except': { ...managed, does: 'Accept a finding, and end that exception' },
} as const satisfies Record<string, Action>
