import { createHmac } from 'node:crypto'
import { secretsPerCompanyMax, secretsPerConsumerTaskMax } from '@sandbox-jobs/contract/limits.ts'
import type {
  SecretOperation,
  SecretRevokeRequest,
  SecretWriteRequest,
} from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import { lockAuthority } from '../../access/authentication/lock-authority.ts'
import type { Principal } from '../../access/principal.ts'
import type { WriteIntent } from '../../access/repeated-writes.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { canonicalJson } from '../../base/json/canonical-json.ts'
import { KeyFileDamaged } from '../../base/keys/hex-key.ts'
import { requireStorageQuota, rowBytes } from '../../companies/storage/storage-quota.ts'
import type { Trx } from '../../db/database.ts'
import { type Consumer, requireConsumer, requireRecord } from '../consumers.ts'
import { KeysUnavailable } from '../keys/wrapping-keys.ts'
import type { SecretContext } from '../secret-context.ts'
import { type SealedValue, sealValue } from '../store/sealed-value.ts'
import {
  countLiveSecrets,
  insertSecret,
  latestSecret,
  lockAddress,
  moveSecret,
  raiseGeneration,
  type SecretAddress,
  type SecretBindingRow,
} from '../store/secret-binding-store.ts'
import { recordOperation } from '../store/secret-operation-store.ts'
import { deleteValue, insertValue } from '../store/secret-value-store.ts'
import { bindEnvelope } from './bind-envelope.ts'
import { renderSecret } from './list-secrets.ts'
import { readSecretValue } from './secret-value.ts'

/*
 * Writes of secrets (contract part 2, "Secrets and approvals"). The value is decrypted in the request, encrypted for its
 * place, and stored with its binding, its operation and the answer to its key in one transaction: after a crash at any point
 * all of it is there or nothing, and whoever repeats the request with its key gets the one answer. The service of the keys
 * is asked before that transaction begins, since nothing of the database may wait for it, and the transaction reads again what
 * the caller may.
 */

export interface SecretCall<Request> {
  principal: Principal
  idempotencyKey: string
  body: Request
}

/** Throws what the routes declare; problems of the value have the array shape. */
export const createSecret = (context: SecretContext, call: SecretCall<SecretWriteRequest>) =>
  writeValue(context, 'create', call)

export const rotateSecret = (context: SecretContext, call: SecretCall<SecretWriteRequest>) =>
  writeValue(context, 'rotate', call)

async function writeValue(
  context: SecretContext,
  type: 'create' | 'rotate',
  call: SecretCall<SecretWriteRequest>,
): Promise<SecretOperation> {
  const { principal, body } = call
  const value = await readSecretValue(context, body)
  try {
    await requireConsumer(context.directory, principal, 'secret.manage', consumerOf(body))
    const task = await context.tasks.task(principal, body.task_id)
    // Before anything is compared with the value: an earlier answer would tell whether a guess is right.
    if (body.encrypted_value)
      await bindEnvelope(context.db, body.encrypted_value, { address: addressOf(principal, body), type })
    const intent = intentOf(context, type, call, value)
    const earlier = await context.repeats.earlier<SecretOperation>(intent)
    if (earlier) return earlier
    if (task.state !== 'active') throw new CodedError('task_archived')
    return await untilUnmoved((address) => storeValue(context, { type, address, value, intent }), {
      ...addressOf(principal, body),
    })
  } finally {
    value.fill(0)
  }
}

interface StoredWrite {
  type: 'create' | 'rotate'
  address: SecretAddress
  value: Buffer
  intent: WriteIntent
}

async function storeValue(context: SecretContext, write: StoredWrite): Promise<SecretOperation> {
  const { type, address, value, intent } = write
  const before = await latestSecret(context.db, address)
  try {
    checkState(type, before)
  } catch (error) {
    // A copy of this request may have come first: it has the answer.
    const earlier = await context.repeats.earlier<SecretOperation>(intent)
    if (earlier) return earlier
    throw error
  }
  const generation = (before?.generation ?? 0) + 1
  const sealed = await seal(context, { ...address, generation }, value)
  return context.repeats.once(intent, async (trx) => {
    await requireStill(context, trx, intent.principal, {
      scope: address.consumerScope,
      id: address.consumerId,
    })
    const current = await lockUnmoved(trx, address, before)
    const createdBy = intent.principal.principalId
    const secret =
      type === 'create'
        ? await insertNew(trx, { address, generation, sealed, createdBy })
        : await replaceValue(trx, current, { generation, sealed })
    return answerOf(trx, secret, { type, createdBy })
  })
}

const requireStill = async (
  { directory }: SecretContext,
  trx: Trx,
  principal: Principal,
  consumer: Consumer,
): Promise<void> =>
  requireConsumer(directory.within(trx), await lockAuthority(trx, principal), 'secret.manage', consumer)

/**
 * Removes the value; a run that was claimed with it and has not started ends. Managers of the consumer may always do that, also
 * when the task is no longer shared with them.
 */
export async function revokeSecret(
  context: SecretContext,
  call: SecretCall<SecretRevokeRequest>,
): Promise<SecretOperation> {
  const { principal, body } = call
  await requireRecord(context.directory, principal, 'secret.manage', consumerOf(body))
  const intent = intentOf(context, 'revoke', call)
  const earlier = await context.repeats.earlier<SecretOperation>(intent)
  if (earlier) return earlier
  const address = addressOf(principal, body)
  return context.repeats.once(intent, async (trx) => {
    await lockAddress(trx, address)
    const secret = await latestSecret(trx, address)
    checkState('revoke', secret)
    await deleteValue(trx, { bindingId: secret.id, companyId: secret.company_id })
    const revoked_at = context.clock.now()
    await moveSecret(trx, secret, { to: 'revoked', through: ['revoking'], set: { revoked_at } })
    const createdBy = principal.principalId
    return answerOf(trx, { ...secret, state: 'revoked', revoked_at }, { type: 'revoke', createdBy })
  })
}

/** There is nothing to rotate or revoke where there never was a secret, and nothing to create where there is one. */
function checkState(type: 'create', secret: SecretBindingRow | undefined): void
function checkState(type: 'revoke', secret: SecretBindingRow | undefined): asserts secret is SecretBindingRow
function checkState(type: string, secret: SecretBindingRow | undefined): void
function checkState(type: string, secret: SecretBindingRow | undefined): void {
  if (!secret && type !== 'create') throw notFound()
  const isLive = secret !== undefined && secret.state !== 'revoked'
  if (isLive && type === 'create')
    throw new CodedError('illegal_transition', {
      message: 'This slot has a secret. Rotate it to replace its value.',
    })
  if (!isLive && type !== 'create') throw new CodedError('illegal_transition')
}

async function insertNew(
  trx: Trx,
  {
    address,
    generation,
    sealed,
    createdBy,
  }: { address: SecretAddress; generation: number; sealed: SealedValue; createdBy: string },
): Promise<SecretBindingRow> {
  const limits = { company: secretsPerCompanyMax, task: secretsPerConsumerTaskMax }
  const live = await countLiveSecrets(trx, address, limits)
  if (live.task >= limits.task) throw new CodedError('secret_limit_reached', { limit: limits.task })
  if (live.company >= limits.company) throw new CodedError('secret_limit_reached', { limit: limits.company })
  await requireStorageQuota(trx, address.companyId, rowBytes.secret)
  const secret = await insertSecret(trx, {
    id: newId('secretBinding'),
    company_id: address.companyId,
    consumer_scope: address.consumerScope,
    consumer_id: address.consumerId,
    task_id: address.taskId,
    slot_name: address.slotName,
    generation,
    created_by: createdBy,
  })
  await insertValue(trx, { bindingId: secret.id, companyId: secret.company_id, generation }, sealed)
  await moveSecret(trx, secret, { to: 'active' })
  return { ...secret, state: 'active' }
}

async function replaceValue(
  trx: Trx,
  secret: SecretBindingRow | undefined,
  { generation, sealed }: { generation: number; sealed: SealedValue },
): Promise<SecretBindingRow> {
  if (!secret) throw notFound()
  const key = { bindingId: secret.id, companyId: secret.company_id }
  await deleteValue(trx, key)
  await raiseGeneration(trx, secret, generation)
  await insertValue(trx, { ...key, generation }, sealed)
  return { ...secret, generation }
}

async function answerOf(
  trx: Trx,
  secret: SecretBindingRow,
  performed: { type: SecretOperation['operation_type']; createdBy: string },
): Promise<SecretOperation> {
  const { id, state } = await recordOperation(trx, secret, performed)
  return {
    operation_id: id,
    operation_type: performed.type,
    operation_state: state,
    binding: renderSecret(secret),
  }
}

async function seal(
  { wrappingKeys, log }: SecretContext,
  place: SecretAddress & { generation: number },
  value: Buffer,
): Promise<SealedValue> {
  try {
    return await sealValue(wrappingKeys, place, value)
  } catch (error) {
    if (!(error instanceof KeysUnavailable)) throw error
    log.error({ error: error.message }, 'no key to store a secret under')
    throw new CodedError('sandbox_vault_unconfigured')
  }
}

/** Another write came between the look and the transaction: the value was encrypted for a generation that is taken. */
class SecretMoved extends Error {
  override readonly name = 'SecretMoved'
}

async function lockUnmoved(
  trx: Trx,
  address: SecretAddress,
  before: SecretBindingRow | undefined,
): Promise<SecretBindingRow | undefined> {
  await lockAddress(trx, address)
  const now = await latestSecret(trx, address)
  const isSame =
    now?.id === before?.id && now?.generation === before?.generation && now?.state === before?.state
  if (!isSame) throw new SecretMoved()
  return now
}

const attemptsMax = 5

async function untilUnmoved<T>(
  attempt: (address: SecretAddress) => Promise<T>,
  address: SecretAddress,
): Promise<T> {
  for (let tried = 1; tried <= attemptsMax; tried += 1) {
    try {
      return await attempt(address)
    } catch (error) {
      if (!(error instanceof SecretMoved)) throw error
    }
  }
  throw new CodedError('illegal_transition')
}

const consumerOf = (body: SecretRevokeRequest) => ({ scope: body.consumer_scope, id: body.consumer_id })

const addressOf = (principal: Principal, body: SecretRevokeRequest): SecretAddress => ({
  companyId: principal.companyId,
  consumerScope: body.consumer_scope,
  consumerId: body.consumer_id,
  taskId: body.task_id,
  slotName: body.slot_name,
})

const routes = {
  create: 'POST /secrets',
  rotate: 'POST /secrets/rotate',
  revoke: 'POST /secrets/revoke',
} as const

/**
 * Two requests are the same when they write the same value to the same address, however it was encrypted. The stored form of
 * that is a MAC under a pepper that is not in the database: nobody can guess a short value by it.
 */
function intentOf(
  { keys, log }: SecretContext,
  type: keyof typeof routes,
  { principal, idempotencyKey, body }: SecretCall<SecretRevokeRequest>,
  value?: Buffer,
): WriteIntent {
  const route = routes[type]
  const { consumer_scope, consumer_id, task_id, slot_name } = body
  try {
    const address = canonicalJson({ route, consumer_scope, consumer_id, task_id, slot_name })
    const [requestHash = '', formerRequestHash] = keys.secretPepper.live().map((pepper) => {
      const mac = createHmac('sha256', pepper).update(address)
      return (value ? mac.update('\0').update(value) : mac).digest('hex')
    })
    return { principal, route, key: idempotencyKey, requestHash, formerRequestHash }
  } catch (error) {
    if (!(error instanceof KeyFileDamaged) && !(error instanceof Error && 'code' in error)) throw error
    log.error({ error: error.message }, 'the pepper of secrets cannot be used')
    throw new CodedError('sandbox_secret_pepper_missing')
  }
}
