import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { RunId } from '../../identifiers.ts'
import { Count, DateTime, OneOf } from '../../schema.ts'

/** Reasons for a refused connection or an unanswered name, as sentences for people. */
export const refusalExplanations = {
  not_public_address: 'Jobs reach public addresses only; this one belongs to a private or special range.',
  metadata_address: 'This address belongs to the metadata service of a cloud; jobs cannot reach it.',
  host_address: 'This address belongs to the machine that the job ran on.',
  other_sandbox: 'This address belongs to another job.',
  foreign_resolver:
    'Names are resolved only by the service’s own resolver, which the sandbox is configured to use.',
  unsupported_protocol: 'Only TCP and UDP can leave a sandbox.',
  too_many_connections: 'The job had the maximum number of open connections of a sandbox.',
  not_in_allow_list:
    'The allow list contains neither this address nor a name that the job resolved to it in the last minutes.',
  name_not_in_allow_list: 'The allow list does not contain this name.',
  name_has_inner_address: 'This name resolves to an address that is not public, so it was not answered.',
  cap_reached: 'The job reached the limit of sent data per run and was stopped.',
} as const
export type NetworkRefusal = keyof typeof refusalExplanations
const reasons = Object.keys(refusalExplanations) as [NetworkRefusal, ...NetworkRefusal[]]

/** Refused attempts of a run that differ only in their time. */
export const RefusedConnection = Type.Object({
  reason: about('Why it was refused.', OneOf(reasons)),
  explanation: about(
    'The reason as a sentence.',
    Type.String(),
    'The allow list does not contain this name.',
  ),
  protocol: about('`dns` for the query of a name.', OneOf(['tcp', 'udp', 'dns', 'other']), 'dns'),
  name: about(
    'The queried name, other bytes than printable ones as `\\ddd`; empty unless `protocol` is `dns`.',
    Type.String({ maxLength: 255 }),
    'example.net',
  ),
  address: about('The address; empty if there is none.', Type.String({ maxLength: 45 }), ''),
  port: about('The port; 0 if there is none.', Type.Integer({ minimum: 0, maximum: 65_535 }), 0),
  attempts: about('How often it was tried.', Count, 3),
  first_at: about('When it was first tried.', DateTime),
  last_at: about('When it was last tried.', DateTime),
})
export type RefusedConnection = Static<typeof RefusedConnection>

/** Refused connections of a run. Empty until it has ended, and after its content is deleted. */
export const NetworkLog = Type.Object({
  run_id: RunId,
  items: about('Refused connections, oldest first, at most 201.', Type.Array(RefusedConnection)),
  more: about('Further attempts that are not in `items`.', Count, 0),
})
export type NetworkLog = Static<typeof NetworkLog>
