import type { SecretReference } from '../../secrets/store/sealed-value.ts'

/**
 * Where the secret of a webhook belongs, in the terms of secrets: the rotation of keys finds it by the same
 * (`server/secrets/rewrap-store.ts`).
 */
export const secretReference = (companyId: string, secretId: string): SecretReference => ({
  companyId,
  consumerScope: 'webhook',
  consumerId: secretId,
  taskId: '',
  slotName: 'signing',
  generation: 1,
})
