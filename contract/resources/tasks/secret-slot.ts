import { type Static, Type } from 'typebox'
import { envNamePattern, reservedEnvPrefix, secretSlotPoliciesMax } from '../../limits.ts'
import { OneOf, Strict } from '../../schema.ts'

/** Name of a secret slot: an environment variable that the platform does not reserve. */
export const SecretSlotName = Type.String({
  pattern: `^(?!${reservedEnvPrefix})${envNamePattern.slice(1)}`,
})
export type SecretSlotName = Static<typeof SecretSlotName>

/** A declared slot: its name, or an object with the name. */
export const SecretSlotDeclaration = Type.Union([SecretSlotName, Strict({ name: SecretSlotName })])
export type SecretSlotDeclaration = Static<typeof SecretSlotDeclaration>

export const slotPolicies = ['borrower', 'owner', 'owner_overridable'] as const
export const SlotPolicy = OneOf(slotPolicies)
export type SlotPolicy = Static<typeof SlotPolicy>

/** Who supplies each slot of a share. */
export const SecretSlotPolicies = Type.Record(Type.String(), SlotPolicy, {
  maxProperties: secretSlotPoliciesMax,
})
export type SecretSlotPolicies = Static<typeof SecretSlotPolicies>

/** A slot as shown to a room: never a value, a binding or a path. */
export const SecretSlotStatus = Type.Object({
  name: Type.String(),
  policy: SlotPolicy,
  borrower_bound: Type.Boolean(),
  owner_bound: Type.Boolean(),
  /** The supplier of the value for a run submitted now. */
  effective_source: OneOf(['borrower', 'owner', 'missing']),
})
export type SecretSlotStatus = Static<typeof SecretSlotStatus>
