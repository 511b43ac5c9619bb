import type { Menu, MenuItem } from '@sandbox-jobs/contract/resources/menu.ts'
import { defaultDriver, runtimeContract } from '@sandbox-jobs/contract/resources/runtime-contract.ts'
import type { Principal } from '../platform/principal.ts'
import { afterIdOf } from './list-request.ts'
import { type MenuRow, menuOf } from './menu-store.ts'
import { isOutdated } from './render-task-version.ts'
import { secretSlotsOf } from './secret-slots.ts'
import type { TaskContext } from './task-context.ts'
import { slotNamesOf } from './task-version.ts'

/** The menu of a room, for whoever acts in it (contract part 1, "Menu item"). */
export async function readMenu(
  context: TaskContext,
  principal: Principal,
  query: { chatroomId: string; page_size: number; page_token: string | undefined },
): Promise<Menu> {
  const room = await context.directory.requireRoomMember(principal, query.chatroomId)
  const list = `menu:${room.id}`
  const rows = await menuOf(context.db, room, {
    afterTaskId: afterIdOf(context.pages, list, query),
    limit: query.page_size + 1,
  })
  return context.pages.page(list, rows, query.page_size, {
    item: renderMenuItem,
    cursor: (row) => [row.task_id],
  })
}

/** Never a source, and always the default driver, even for an owner. */
const renderMenuItem = (row: MenuRow): MenuItem => ({
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
  secret_slots: secretSlotsOf(row.secret_slot_declarations, row.secret_slot_policies),
  timeout_seconds: row.timeout_seconds,
  requires_confirmation: row.requires_confirmation,
  update_available: isOutdated(row.task_version_id, row.current_published_version_id),
  secret_use_risk_warning: null,
  runtime_contract: runtimeContract(defaultDriver),
  source_visible: false,
})
