import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type {
  SecretBinding,
  SecretBindingList,
} from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { type Consumer, managedConsumers, requireRecord } from '../consumers.ts'
import type { SecretContext } from '../secret-context.ts'
import {
  findSecret,
  listSecretRows,
  type SecretBindingRow,
  type SecretListFilter,
} from '../store/secret-binding-store.ts'

/** Query of a list with its defaults filled in. */
export interface SecretListRequest {
  page_size: number
  page_token: string | undefined
  lifecycle: Lifecycle
}

export async function readSecret(
  context: SecretContext,
  principal: Principal,
  id: string,
): Promise<SecretBinding> {
  const row = await findSecret(context.db, principal.companyId, id)
  if (!row) throw notFound()
  await requireRecord(context.directory, principal, 'secret.manage', {
    scope: row.consumer_scope,
    id: row.consumer_id,
  })
  return renderSecret(row)
}

/** The secrets of a task, of the consumers that the caller manages (contract part 2, "Capability and management queries"). */
export async function listTaskSecrets(
  context: SecretContext,
  principal: Principal,
  { taskId, request }: { taskId: string; request: SecretListRequest },
): Promise<SecretBindingList> {
  const { id } = await context.tasks.task(principal, taskId)
  const managed = await managedConsumers(context.directory, principal)
  return secretPage(context, `task-secrets:${id}`, request, {
    companyId: principal.companyId,
    taskId: id,
    managed,
  })
}

/** The secrets of one consumer, for who manages it. */
export async function listConsumerSecrets(
  context: SecretContext,
  principal: Principal,
  query: { consumer: Consumer; taskId?: string | undefined; slotName?: string | undefined },
  request: SecretListRequest,
): Promise<SecretBindingList> {
  const { consumer, taskId, slotName } = query
  await requireRecord(context.directory, principal, 'secret.manage', consumer)
  const name = `secrets:${consumer.scope}:${consumer.id}:${taskId ?? ''}:${slotName ?? ''}`
  const { companyId } = principal
  return secretPage(context, name, request, { companyId, consumer, taskId, slotName, managed: undefined })
}

const states: Record<Lifecycle, readonly SecretBindingRow['state'][] | undefined> = {
  active: ['pending', 'active', 'revoking'],
  retired: ['revoked'],
  all: undefined,
}

async function secretPage(
  { db, pages }: SecretContext,
  name: string,
  request: SecretListRequest,
  filter: Omit<SecretListFilter, 'states' | 'afterId' | 'limit'>,
): Promise<SecretBindingList> {
  const [afterId] = pages.read(name, request.page_token) ?? []
  const rows = await listSecretRows(db, {
    ...filter,
    states: states[request.lifecycle],
    afterId: typeof afterId === 'string' ? afterId : undefined,
    limit: request.page_size + 1,
  })
  const page = pages.page(name, rows, request.page_size, { item: renderSecret, cursor: ({ id }) => [id] })
  return { ...page, truncated: page.next_page_token !== null }
}

/** A secret as every route shows it: never its value, and nothing of how it is stored. */
export const renderSecret = (row: SecretBindingRow): SecretBinding => ({
  id: row.id,
  company_id: row.company_id,
  consumer_scope: row.consumer_scope as SecretBinding['consumer_scope'],
  consumer_id: row.consumer_id,
  task_id: row.task_id,
  slot_name: row.slot_name,
  generation: row.generation,
  state: row.state as SecretBinding['state'],
  has_provider_binding: row.state === 'active' || row.state === 'revoking',
})
