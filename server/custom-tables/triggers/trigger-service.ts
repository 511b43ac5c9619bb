import type { ActionOn } from '@sandbox-jobs/contract/access/actions.ts'
import { catalogPageSizeDefault, triggersOfTableMax } from '@sandbox-jobs/contract/limits.ts'
import type {
  TableTrigger,
  TableTriggerCreateRequest,
  TableTriggerList,
  TableTriggerUpdateRequest,
  TriggerEventList,
  TriggerEventStatus,
} from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import type { PageRequest } from '../../base/page.ts'
import { definitionBytes, requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { Trx } from '../../db/database.ts'
import { type ListQuery, pageOf } from '../catalogue/list-page.ts'
import { inTableTransaction, lockActiveTable, requireTable } from '../catalogue/table-access.ts'
import type { TableContext, TriggerTarget } from '../table-context.ts'
import { checkTemplate } from './input-template.ts'
import {
  changedDefinition,
  contentOf,
  newDefinition,
  renderEvent,
  renderTrigger,
} from './trigger-definition.ts'
import { listEventRows } from './trigger-event-store.ts'
import {
  activeTriggerIds,
  archiveTriggerRow,
  changeTrigger,
  findTrigger,
  insertTrigger,
  listTriggerRows,
  lockTrigger,
  type TriggerRow,
} from './trigger-store.ts'

/* Triggers: declare, find, change and archive, for who manages their table and may run their version (contract part 3, D3). */

export async function createTrigger(
  context: TableContext,
  principal: Principal,
  { tableId, request }: { tableId: string; request: TableTriggerCreateRequest },
): Promise<TableTrigger> {
  const { companyId, principalId } = principal
  await requireTable(context.db, principal, 'table.change', tableId)
  const definition = newDefinition(request)
  await context.requireTarget(principal, definition)
  return inTableTransaction(context.db, tableId, async (trx) => {
    const table = await lockActiveTable(trx, principal, 'table.change', tableId)
    checkTemplate(table.fields, definition.input_template)
    const active = await activeTriggerIds(trx, table)
    if (active.length >= triggersOfTableMax)
      throw new CodedError('custom_table_limit_reached', { limit: triggersOfTableMax })
    await requireStorageQuota(trx, companyId, definitionBytes.table)
    const row = await insertTrigger(trx, {
      id: newId('tableTrigger'),
      company_id: companyId,
      table_id: tableId,
      ...contentOf(definition, principalId),
    })
    return renderTrigger(row)
  })
}

export async function listTriggers(
  { db, pages }: TableContext,
  principal: Principal,
  { tableId, query }: { tableId: string; query: ListQuery },
): Promise<TableTriggerList> {
  const { companyId } = principal
  await requireTable(db, principal, 'table.read', tableId)
  return pageOf(pages, `table-triggers:${tableId}`, query, {
    rows: (filter) => listTriggerRows(db, { companyId, tableId, ...filter }),
    item: renderTrigger,
  })
}

export async function readTrigger(
  context: TableContext,
  principal: Principal,
  id: string,
): Promise<TableTrigger> {
  return renderTrigger(await requireTrigger(context, principal, 'table.read', id))
}

/** A person who changes a trigger declares it: the runs have their authority from then on. */
export async function updateTrigger(
  context: TableContext,
  principal: Principal,
  { id, request }: { id: string; request: TableTriggerUpdateRequest },
): Promise<TableTrigger> {
  for (;;) {
    const found = await requireTrigger(context, principal, 'table.change', id)
    if (Object.values(request).every((value) => value === undefined)) throw new CodedError('no_fields')
    const checked = changedDefinition(found, request)
    await context.requireTarget(principal, checked)
    const changed = await changing(context, principal, found, async (trx, { trigger, table }) => {
      const definition = changedDefinition(trigger, request)
      // Somebody has changed the target meanwhile: the caller may not be allowed to start the new one.
      if (!hasSameTarget(definition, checked)) return undefined
      checkTemplate(table.fields, definition.input_template)
      return changeTrigger(trx, trigger, contentOf(definition, principal.principalId))
    })
    if (changed) return renderTrigger(changed)
  }
}

const hasSameTarget = (a: TriggerTarget, b: TriggerTarget): boolean =>
  a.chatroom_id === b.chatroom_id && a.task_version_id === b.task_version_id

export async function archiveTrigger(
  context: TableContext,
  principal: Principal,
  id: string,
): Promise<TableTrigger> {
  const found = await requireTrigger(context, principal, 'table.change', id)
  const archived = await changing(context, principal, found, async (trx, { trigger }) => {
    await archiveTriggerRow(trx, trigger, context.clock.now())
    return (await findTrigger(trx, trigger.company_id, trigger.id)) ?? trigger
  })
  return renderTrigger(archived)
}

export async function listTriggerEvents(
  context: TableContext,
  principal: Principal,
  { id, query }: { id: string; query: PageRequest & { status?: TriggerEventStatus } },
): Promise<TriggerEventList> {
  const { db, pages } = context
  const trigger = await requireTrigger(context, principal, 'table.read', id)
  const { page_size: size = catalogPageSizeDefault, page_token: token, status } = query
  const list = `trigger-events:${id}:${status ?? ''}`
  const [before] = pages.read(list, token) ?? []
  const rows = await listEventRows(db, {
    companyId: trigger.company_id,
    triggerId: id,
    status,
    before: typeof before === 'number' ? before : undefined,
    limit: size + 1,
  })
  return pages.page(list, rows, size, { item: renderEvent, cursor: ({ place }) => [place] })
}

async function requireTrigger(
  { db }: TableContext,
  principal: Principal,
  action: ActionOn<'owned'>,
  id: string,
): Promise<TriggerRow> {
  const trigger = await findTrigger(db, principal.companyId, id)
  if (!trigger) throw notFound()
  await requireTable(db, principal, action, trigger.table_id)
  return trigger
}

type Locked = { trigger: TriggerRow; table: Awaited<ReturnType<typeof lockActiveTable>> }

function changing<Changed extends TriggerRow | undefined>(
  { db }: TableContext,
  principal: Principal,
  { id, table_id }: TriggerRow,
  change: (trx: Trx, locked: Locked) => Promise<Changed>,
): Promise<Changed> {
  return inTableTransaction(db, table_id, async (trx) => {
    const table = await lockActiveTable(trx, principal, 'table.change', table_id)
    const trigger = await lockTrigger(trx, principal.companyId, id)
    if (!trigger) throw notFound()
    if (trigger.state !== 'active') throw new CodedError('custom_table_archived')
    return change(trx, { trigger, table })
  })
}
