import {
  defaultDriver,
  runtimeContract,
} from '@sandbox-jobs/contract/resources/environments/runtime-contract.ts'
import type { Menu, MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { type BoundSlots, boundSlotsOf, slottedTasks } from '../../secrets/resolve/bound-slots.ts'
import { afterIdOf } from '../catalogue/list-request.ts'
import type { TaskContext } from '../catalogue/task-access.ts'
import { isOutdated } from '../versions/render-task-version.ts'
import { secretSlotsOf, secretUseRiskWarning } from '../versions/secret-slots.ts'
import { slotNamesOf } from '../versions/task-version.ts'
import { type MenuRow, menuOf } from './menu-store.ts'
import type { Runnables } from './runnable.ts'

export { findOffered } from './menu-store.ts'

interface MenuQuery {
  chatroomId: string
  page_size: number
  page_token: string | undefined
  /** Of the items of a page together, as JSON; one item is shown in any case. */
  maxBytes: number
  text?: string | undefined
}

/** The menu of a room, for members and managers of the room (contract part 1, "Menu item"). */
export async function readMenu(
  context: Pick<TaskContext, 'db' | 'directory' | 'pages'>,
  principal: Principal,
  query: MenuQuery,
): Promise<Menu> {
  const room = await context.directory.requireRoom(principal, 'menu.read', query.chatroomId)
  const list = query.text === undefined ? `menu:${room.id}` : `menu:${room.id}:${query.text}`
  const rows = await menuOf(context.db, room, {
    afterTaskId: afterIdOf(context.pages, list, query),
    limit: query.page_size + 1,
    maxBytes: query.maxBytes,
    text: query.text,
  })
  const bound = await boundSlotsOf(context.db, room, slottedTasks(rows))
  return context.pages.page(list, rows, query.page_size, {
    item: (row) => renderMenuItem(row, bound(row.task_id)),
    cursor: (row) => [row.task_id],
    maxBytes: query.maxBytes,
  })
}

/** An item of the menu, and whether an agent that runs it needs the confirmation of a person. */
export interface RunnableItem extends MenuItem {
  needs_confirmation: boolean
  /** Whether its output policy writes to a table. */
  writes_table: boolean
}

/** The item of the room's menu that pins this version. Throws `not_found`. */
export async function requireMenuItem(
  context: Pick<TaskContext, 'db' | 'directory'> & { runnables: Runnables },
  principal: Principal,
  { chatroomId, versionId }: { chatroomId: string; versionId: string },
): Promise<RunnableItem> {
  const room = await context.directory.requireRoom(principal, 'menu.read', chatroomId)
  const row = await context.runnables.menuItem(room, versionId)
  if (!row) throw notFound()
  const bound = await boundSlotsOf(context.db, room, slottedTasks([row]))
  return {
    ...renderMenuItem(row, bound(row.task_id)),
    needs_confirmation: row.requires_confirmation || row.writes_table,
    writes_table: row.writes_table,
  }
}

/** Without sources, and with the default driver, also for an owner. */
const renderMenuItem = (row: MenuRow, bound: BoundSlots): MenuItem => {
  const slots = secretSlotsOf(row.secret_slot_declarations, row.secret_slot_policies, bound)
  return {
    task_id: row.task_id,
    task_name: row.task_name,
    task_description: row.task_description,
    owner_scope: row.owner_scope as MenuItem['owner_scope'],
    owner_id: row.owner_id,
    task_version_id: row.task_version_id,
    task_version_digest: row.canonical_digest,
    version_number: row.version_number,
    version_state: 'published',
    input_instructions: row.input_instructions,
    input_example: row.input_example,
    input_schema: row.input_schema,
    secret_slot_names: slotNamesOf(row.secret_slot_declarations),
    secret_slots: slots,
    timeout_seconds: row.timeout_seconds,
    requires_confirmation: row.requires_confirmation,
    update_available: isOutdated(row.task_version_id, row.current_published_version_id),
    secret_use_risk_warning: secretUseRiskWarning(slots),
    runtime_contract: runtimeContract(defaultDriver),
    source_visible: false,
  }
}
