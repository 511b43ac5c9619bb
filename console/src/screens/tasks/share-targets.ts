import type { Scope } from '@sandbox-jobs/contract/resources/companies/owner-scope.ts'

/** With whom a task can be shared. */
export interface ShareTarget {
  target_kind: Scope
  target_id: string
  name: string
}

interface Known {
  company: { id: string; name: string } | undefined
  departments: readonly { id: string; name: string }[]
  rooms: readonly { id: string; name: string }[]
}

/** All whom the person knows by name, from the widest to the narrowest. */
export const shareTargets = ({ company, departments, rooms }: Known): ShareTarget[] => [
  ...(company === undefined ? [] : [targetOf('company', company)]),
  ...departments.map((department) => targetOf('department', department)),
  ...rooms.map((room) => targetOf('chatroom', room)),
]

const targetOf = (target_kind: Scope, { id, name }: { id: string; name: string }): ShareTarget => ({
  target_kind,
  target_id: id,
  name,
})

type Target = Pick<ShareTarget, 'target_kind' | 'target_id'>

const isSame = (one: Target, other: Target): boolean =>
  one.target_kind === other.target_kind && one.target_id === other.target_id

/** The name of a target; undefined for one that the person does not know. */
export const nameOfTarget = (targets: readonly ShareTarget[], target: Target): string | undefined =>
  targets.find((each) => isSame(each, target))?.name

/** The targets that have no share yet. */
export const targetsLeft = (targets: readonly ShareTarget[], shares: readonly Target[]): ShareTarget[] =>
  targets.filter((target) => !shares.some((share) => isSame(share, target)))
