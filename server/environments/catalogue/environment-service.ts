import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { Lifecycle } from '@sandbox-jobs/contract/pagination.ts'
import type {
  Environment,
  EnvironmentCreateRequest,
  EnvironmentList,
  EnvironmentUpdateRequest,
} from '@sandbox-jobs/contract/resources/environments/environment.ts'
import { environmentMachine } from '@sandbox-jobs/contract/states/catalog-states.ts'
import { authorize, ownedBy } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import { onceForKey } from '../../access/repeated-writes.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { newId } from '../../base/ids.ts'
import type { PageRequest } from '../../base/page.ts'
import { companyPolicy } from '../../companies/settings/company-policy.ts'
import { requireStorageQuota, rowBytes } from '../../companies/storage/storage-quota.ts'
import { lockCompany } from '../../db/company-lock.ts'
import { recordCreated, transition } from '../../db/transition.ts'
import { findBlockedEnvironments } from './digest-block-store.ts'
import { type EnvironmentRow, renderEnvironment } from './environment.ts'
import { managedEnvironment, readableEnvironment } from './environment-access.ts'
import type { EnvironmentContext } from './environment-context.ts'
import {
  countActiveEnvironments,
  insertEnvironment,
  listEnvironmentRows,
  lockEnvironment,
  updateEnvironmentTexts,
} from './environment-store.ts'

/** Environments of the company and curated ones, newest first. Its page tokens are good for the list of that name. */
export async function listEnvironments(
  context: EnvironmentContext,
  principal: Principal,
  query: PageRequest & { lifecycle?: Lifecycle },
  listName = 'environments',
): Promise<EnvironmentList> {
  const size = query.page_size ?? catalogPageSizeDefault
  const lifecycle = query.lifecycle ?? 'active'
  const list = `${listName}:${lifecycle}`
  const cursor = context.pageTokens.read(list, query.page_token)
  const rows = await listEnvironmentRows(context.db, principal.companyId, {
    lifecycle,
    beforeId: cursor && String(cursor[0]),
    limit: size + 1,
  })
  const blocked = await findBlockedEnvironments(
    context.db,
    principal.companyId,
    rows.map(({ id }) => id),
  )
  return context.pageTokens.page(list, rows, size, {
    item: (row) => renderEnvironment(row, blocked.has(row.id)),
    cursor: (row) => [row.id],
  })
}

async function shown({ db }: EnvironmentContext, row: EnvironmentRow): Promise<Environment> {
  return renderEnvironment(
    row,
    (await findBlockedEnvironments(db, row.company_id ?? '', [row.id])).has(row.id),
  )
}

export async function readEnvironment(
  context: EnvironmentContext,
  principal: Principal,
  id: string,
): Promise<Environment> {
  return shown(context, await readableEnvironment(context.db, principal, id))
}

/**
 * Creates an environment. An owner that the principal does not manage is hidden (contract part 1, "Roles"). Throws
 * `active_environment_limit` and `storage_quota_exceeded`.
 */
export async function createEnvironment(
  context: EnvironmentContext,
  principal: Principal,
  body: EnvironmentCreateRequest,
  key: string | undefined,
): Promise<Environment> {
  const owner = await resolveOwner(context, principal, body)
  const intent = { principal, route: 'environments', key, request: body }
  return onceForKey(context, intent, async (trx) => {
    await lockCompany(trx, principal.companyId, 'environments')
    const { activeEnvironmentLimit: limit } = await companyPolicy(trx, principal.companyId)
    if ((await countActiveEnvironments(trx, principal.companyId)) >= limit) {
      throw new CodedError('active_environment_limit', { limit })
    }
    await requireStorageQuota(trx, principal.companyId, rowBytes.environment)
    const created = await insertEnvironment(trx, {
      id: newId('environment'),
      company_id: principal.companyId,
      owner_scope: owner.scope,
      owner_id: owner.id,
      name: body.name,
      description: body.description ?? '',
    })
    await recordCreated(trx, {
      machine: environmentMachine,
      id: created.id,
      companyId: principal.companyId,
      state: created.state,
    })
    return renderEnvironment(created, false)
  })
}

async function resolveOwner(
  context: EnvironmentContext,
  principal: Principal,
  body: EnvironmentCreateRequest,
): Promise<{ scope: 'company' | 'department'; id: string }> {
  const scope = body.owner_scope ?? 'company'
  if (scope === 'department' && !body.owner_id) {
    throw invalid(['body', 'owner_id'], 'missing', 'is required for a department')
  }
  const owner = { scope, id: body.owner_id ?? principal.companyId }
  authorize(
    principal,
    'environment.create',
    ownedBy({ company_id: principal.companyId, owner_scope: scope, owner_id: owner.id }),
  )
  const exists =
    scope === 'company'
      ? owner.id === principal.companyId
      : (await context.departments.department(principal.companyId, owner.id)) !== undefined
  if (!exists) throw notFound()
  return owner
}

/** Changes the name or description. The owner cannot change. */
export async function updateEnvironment(
  context: EnvironmentContext,
  principal: Principal,
  id: string,
  body: EnvironmentUpdateRequest,
): Promise<Environment> {
  await managedEnvironment(context.db, principal, 'environment.change', id)
  if (body.name === undefined && body.description === undefined) throw new CodedError('no_fields')
  const row = await updateEnvironmentTexts(context.db, principal.companyId, id, body)
  if (!row) throw new CodedError('environment_archived')
  return shown(context, row)
}

/**
 * Archives the environment. Its versions keep their states, so pinned tasks continue to run. Queued builds are
 * cancelled. The company's lock prevents new builds from being queued concurrently.
 */
export async function archiveEnvironment(
  context: EnvironmentContext,
  principal: Principal,
  id: string,
): Promise<Environment> {
  await managedEnvironment(context.db, principal, 'environment.change', id)
  const row = await context.db.transaction().execute(async (trx) => {
    await lockCompany(trx, principal.companyId, 'builds')
    const left = await transition(trx, {
      table: 'environments',
      machine: environmentMachine,
      id,
      companyId: principal.companyId,
      to: 'archived',
    })
    if (left === undefined) throw new CodedError('illegal_transition')
    await context.endWaitingBuilds(trx, { id, company_id: principal.companyId })
    return lockEnvironment(trx, principal.companyId, id)
  })
  if (!row) throw notFound()
  return shown(context, row)
}
