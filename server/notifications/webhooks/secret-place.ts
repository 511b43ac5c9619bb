import type { SecretPlace } from '../../secrets/store/sealed-value.ts'

/**
 * Where the secret of a webhook belongs, in the terms of secrets: the rotation of keys finds it by the same
 * (`server/secrets/rotation/rewrap-store.ts`).
 */
export const secretPlace = (companyId: string, secretId: string): SecretPlace => ({
  companyId,
  consumerScope: 'webhook',
  consumerId: secretId,
  taskId: '',
  slotName: 'signing',
  generation: 1,
})
