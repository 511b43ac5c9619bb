import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { envNamePattern, reservedEnvPrefix, secretSlotPoliciesMax } from '../../limits.ts'
import { OneOf, Strict } from '../../schema.ts'

/** Name of a secret slot: an environment variable that the platform does not reserve. */
export const SecretSlotName = Type.String({
  pattern: `^(?!${reservedEnvPrefix})${envNamePattern.slice(1)}`,
})
export type SecretSlotName = Static<typeof SecretSlotName>

/** A declared slot: its name, or an object with the name. */
export const SecretSlotDeclaration = Type.Union([
  SecretSlotName,
  Strict({ name: about('Name of the environment variable.', SecretSlotName, 'API_TOKEN') }),
])
export type SecretSlotDeclaration = Static<typeof SecretSlotDeclaration>

export const slotPolicies = ['borrower', 'owner', 'owner_overridable'] as const
export const SlotPolicy = OneOf(slotPolicies)
export type SlotPolicy = Static<typeof SlotPolicy>

/** The supplier of each slot of a share. */
export const SecretSlotPolicies = Type.Record(Type.String(), SlotPolicy, {
  maxProperties: secretSlotPoliciesMax,
})
export type SecretSlotPolicies = Static<typeof SecretSlotPolicies>

/** A slot as shown to a room: never a value, a binding or a path. */
export const SecretSlotStatus = Type.Object({
  name: about('Name of the environment variable.', Type.String(), 'API_TOKEN'),
  policy: about('Supplier of the value, as the share says.', SlotPolicy),
  borrower_bound: about('The borrower has set a value.', Type.Boolean(), true),
  owner_bound: about('The owner has set a value.', Type.Boolean(), false),
  effective_source: about(
    'Supplier of the value to a run that is submitted now.',
    OneOf(['borrower', 'owner', 'missing']),
  ),
})
export type SecretSlotStatus = Static<typeof SecretSlotStatus>
