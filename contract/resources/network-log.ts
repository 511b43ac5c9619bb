import { type Static, Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { Count, DateTime, OneOf } from '../schema.ts'

/** Why a connection was refused, or a name not answered, in words for a person. */
export const refusalExplanations = {
  not_public_address: 'Jobs reach public addresses only; this one belongs to a private or special range.',
  metadata_address: 'Here clouds keep what a machine knows of itself; no job reaches it.',
  host_address: 'This address belongs to the machine that the job ran on.',
  other_sandbox: 'This address belongs to another job.',
  foreign_resolver: 'Names are asked of the service’s own resolver, which the sandbox is set up to use.',
  unsupported_protocol: 'Only TCP and UDP leave a sandbox.',
  too_many_connections: 'The job held as many connections open at once as a sandbox may.',
  not_in_allow_list:
    'The allow list holds neither this address nor a name that the job has asked for in the last minutes and that leads to it.',
  name_not_in_allow_list: 'The allow list does not hold this name.',
  name_has_inner_address: 'This name leads to an address that is not public, so it was not answered.',
  cap_reached: 'The job had sent as much as a run may, and was ended.',
} as const
export type NetworkRefusal = keyof typeof refusalExplanations
const reasons = Object.keys(refusalExplanations) as [NetworkRefusal, ...NetworkRefusal[]]

/** Attempts of a run that differ in nothing but their time. */
export const RefusedConnection = Type.Object({
  reason: OneOf(reasons),
  explanation: Type.String(),
  /** `dns` for a name that was asked for. */
  protocol: OneOf(['tcp', 'udp', 'dns', 'other']),
  /** At most 255 printable characters; a byte that is none stands as `\ddd`. Empty unless `protocol` is `dns`. */
  name: Type.String({ maxLength: 255 }),
  /** Empty where there is none. */
  address: Type.String({ maxLength: 45 }),
  /** 0 where there is none. */
  port: Type.Integer({ minimum: 0, maximum: 65_535 }),
  attempts: Count,
  first_at: DateTime,
  last_at: DateTime,
})
export type RefusedConnection = Static<typeof RefusedConnection>

/** What a run tried to reach and did not. Empty until it has ended, and once its content is no longer kept. */
export const NetworkLog = Type.Object({
  run_id: Identifier,
  /** Oldest first, at most 201. */
  items: Type.Array(RefusedConnection),
  /** Attempts that were counted beyond these. */
  more: Count,
})
export type NetworkLog = Static<typeof NetworkLog>
