import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { tables } from '../data/authoring/tables.ts'
import { readRowSearch } from '../screens/table-rows/row-search.ts'
import { readEventSearch } from '../screens/table-triggers/event-search.ts'
import { signedIn } from './signed-in.ts'

const list = createRoute({
  getParentRoute: () => signedIn,
  path: '/tables',
  loader: ({ context }) => void context.queries.prefetchQuery(tables),
  component: lazyRouteComponent(() => import('../screens/tables/tables-page.tsx'), 'TablesPage'),
})

const create = createRoute({
  getParentRoute: () => signedIn,
  path: '/tables/new',
  component: lazyRouteComponent(() => import('../screens/tables/new-table-page.tsx'), 'NewTablePage'),
})

const table = createRoute({
  getParentRoute: () => signedIn,
  path: '/tables/$id',
  beforeLoad: ({ params }) => redirect({ to: '/tables/$id/rows', params, replace: true, throw: true }),
})

const rows = createRoute({
  getParentRoute: () => signedIn,
  path: '/tables/$id/rows',
  validateSearch: readRowSearch,
  component: lazyRouteComponent(() => import('../screens/table-rows/rows-page.tsx'), 'RowsPage'),
})

const fields = createRoute({
  getParentRoute: () => signedIn,
  path: '/tables/$id/fields',
  component: lazyRouteComponent(() => import('../screens/tables/fields-page.tsx'), 'FieldsPage'),
})

const commands = createRoute({
  getParentRoute: () => signedIn,
  path: '/tables/$id/commands',
  component: lazyRouteComponent(() => import('../screens/table-commands/commands-page.tsx'), 'CommandsPage'),
})

const newCommand = createRoute({
  getParentRoute: () => signedIn,
  path: '/tables/$id/commands/new',
  component: lazyRouteComponent(
    () => import('../screens/table-commands/new-command-page.tsx'),
    'NewCommandPage',
  ),
})

const command = createRoute({
  getParentRoute: () => signedIn,
  path: '/tables/$id/commands/$command',
  component: lazyRouteComponent(() => import('../screens/table-commands/command-page.tsx'), 'CommandPage'),
})

const triggers = createRoute({
  getParentRoute: () => signedIn,
  path: '/tables/$id/triggers',
  component: lazyRouteComponent(() => import('../screens/table-triggers/triggers-page.tsx'), 'TriggersPage'),
})

const newTrigger = createRoute({
  getParentRoute: () => signedIn,
  path: '/tables/$id/triggers/new',
  component: lazyRouteComponent(
    () => import('../screens/table-triggers/new-trigger-page.tsx'),
    'NewTriggerPage',
  ),
})

const trigger = createRoute({
  getParentRoute: () => signedIn,
  path: '/tables/$id/triggers/$tid',
  validateSearch: readEventSearch,
  component: lazyRouteComponent(() => import('../screens/table-triggers/trigger-page.tsx'), 'TriggerPage'),
})

const changeTrigger = createRoute({
  getParentRoute: () => signedIn,
  path: '/tables/$id/triggers/$tid/edit',
  component: lazyRouteComponent(
    () => import('../screens/table-triggers/change-trigger-page.tsx'),
    'ChangeTriggerPage',
  ),
})

/** A command as the people of a room use it. */
const roomCommand = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/commands/$command',
  component: lazyRouteComponent(
    () => import('../screens/room-commands/room-command-page.tsx'),
    'RoomCommandPage',
  ),
})

/** The screens of custom tables. */
export const tableScreens = [
  list,
  create,
  table,
  rows,
  fields,
  commands,
  newCommand,
  command,
  triggers,
  newTrigger,
  trigger,
  changeTrigger,
  roomCommand,
]
