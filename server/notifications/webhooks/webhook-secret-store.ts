import type { Executing, Trx } from '../../db/database.ts'
import type { SealedValue, SecretReference } from '../../secrets/store/sealed-value.ts'

/** Writes the table `webhook_secrets`. The API may write secrets and not read them; the worker may read them. */

interface OfWebhook {
  companyId: string
  webhookId: string
}

export const insertSecret = (
  trx: Trx,
  { companyId, webhookId, id }: OfWebhook & { id: string },
  sealed: SealedValue,
): Promise<unknown> =>
  trx
    .insertInto('webhook_secrets')
    .values({
      id,
      company_id: companyId,
      webhook_id: webhookId,
      key_id: sealed.keyId,
      wrapped_key: sealed.wrappedKey,
      iv: sealed.iv,
      ciphertext: sealed.ciphertext,
      expires_at: null,
    })
    .execute()

/** Former secrets are deleted, and the present one expires. */
export async function expireSecrets(trx: Trx, { companyId, webhookId }: OfWebhook, at: Date): Promise<void> {
  await trx
    .deleteFrom('webhook_secrets')
    .where('webhook_id', '=', webhookId)
    .where('company_id', '=', companyId)
    .where('expires_at', 'is not', null)
    .execute()
  await trx
    .updateTable('webhook_secrets')
    .set({ expires_at: at })
    .where('webhook_id', '=', webhookId)
    .where('company_id', '=', companyId)
    .execute()
}

/** The valid secrets, the present one first. */
export async function listSealedSecrets(
  db: Executing,
  { companyId, webhookId }: OfWebhook,
  now: Date,
): Promise<(SealedValue & { id: string })[]> {
  const rows = await db
    .selectFrom('webhook_secrets')
    .select(['id', 'key_id', 'wrapped_key', 'iv', 'ciphertext', 'expires_at'])
    .where('webhook_id', '=', webhookId)
    .where('company_id', '=', companyId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .execute()
  return rows
    .toSorted((a, b) => Number(a.expires_at !== null) - Number(b.expires_at !== null))
    .map((row) => ({
      id: row.id,
      keyId: row.key_id,
      wrappedKey: row.wrapped_key,
      iv: row.iv,
      ciphertext: row.ciphertext,
    }))
}

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
