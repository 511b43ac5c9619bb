import type { QueryClient } from '@tanstack/react-query'
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { me } from '../data/person/me.ts'
import { hasRooms } from '../data/person/roles.ts'
import { lastRooms } from '../data/rooms/last-rooms.ts'
import { menuOf } from '../data/rooms/menu.ts'
import { roomOverviews } from '../data/rooms/rooms.ts'
import { runOf } from '../data/runs/runs.ts'
import { present, textIn } from '../data/search-values.ts'
import { readFindingFilters } from '../screens/environment-findings/finding-filters.ts'
import { isImagePart, readPartSearch } from '../screens/images/parts.ts'
import { BrokenPage } from '../screens/not-found/broken-page.tsx'
import { NotFoundPage } from '../screens/not-found/not-found-page.tsx'
import { loadTab } from '../screens/run/load-tab.ts'
import { type RunTab, runTabs } from '../screens/run/tabs.ts'
import { readFilters } from '../screens/runs/filters.ts'
import { companyScreens } from './company-routes.ts'
import { roomScreens } from './room-routes.ts'
import { root, signedIn, signIn } from './signed-in.ts'
import { tableScreens } from './table-routes.ts'

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: ({ context }) => {
    const account = context.queries.getQueryData(me.queryKey)
    if (account && !hasRooms(account.role)) redirect({ to: '/company', replace: true, throw: true })
    const [cid] = lastRooms.get()
    if (cid === undefined) redirect({ to: '/chatrooms', replace: true, throw: true })
    else redirect({ to: '/chatrooms/$cid', params: { cid }, replace: true, throw: true })
  },
})

const rooms = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms',
  loader: ({ context }) => void context.queries.prefetchQuery(roomOverviews),
  component: lazyRouteComponent(() => import('../screens/rooms/rooms-page.tsx'), 'RoomsPage'),
})

const room = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid',
  loader: ({ context, params }) => void context.queries.prefetchQuery(menuOf(params.cid)),
  component: lazyRouteComponent(() => import('../screens/rooms/room-page.tsx'), 'RoomPage'),
})

const secrets = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/manage/secrets',
  validateSearch: (search): { for?: 'department' | 'company' } =>
    search.for === 'department' || search.for === 'company' ? { for: search.for } : {},
  loader: ({ context, params }) => void context.queries.prefetchQuery(menuOf(params.cid)),
  component: lazyRouteComponent(() => import('../screens/secrets/secrets-page.tsx'), 'SecretsPage'),
})

const grantedJobs = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/manage/jobs',
  component: lazyRouteComponent(
    () => import('../screens/granted-jobs/granted-jobs-page.tsx'),
    'GrantedJobsPage',
  ),
})

const doors = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/manage/doors',
  component: lazyRouteComponent(() => import('../screens/doors/doors-page.tsx'), 'DoorsPage'),
})

const roomNotifications = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/manage/notifications',
  component: lazyRouteComponent(
    () => import('../screens/room-notifications/room-notifications-page.tsx'),
    'RoomNotificationsPage',
  ),
})

const schedules = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/schedules',
  component: lazyRouteComponent(() => import('../screens/schedules/schedules-page.tsx'), 'SchedulesPage'),
})

const newSchedule = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/schedules/new',
  component: lazyRouteComponent(
    () => import('../screens/schedules/new-schedule-page.tsx'),
    'NewSchedulePage',
  ),
})

const changeSchedule = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/schedules/$sid',
  component: lazyRouteComponent(
    () => import('../screens/schedules/change-schedule-page.tsx'),
    'ChangeSchedulePage',
  ),
})

const runForm = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/run/$taskId',
  validateSearch: (search): { again?: string } =>
    typeof search.again === 'string' ? { again: search.again } : {},
  loader: ({ context, params }) => void context.queries.prefetchQuery(menuOf(params.cid)),
  component: lazyRouteComponent(() => import('../screens/run-form/run-form-page.tsx'), 'RunFormPage'),
})

const roomRuns = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/runs',
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import('../screens/runs/room-runs-page.tsx'), 'RoomRunsPage'),
})

const run = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/runs/$rid',
  loader: ({ context, params }) => void context.queries.prefetchQuery(runOf(params)),
  component: lazyRouteComponent(() => import('../screens/run/run-page.tsx'), 'RunPage'),
})

const runTab = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/runs/$rid/$tab',
  beforeLoad: ({ params: { cid, rid, tab } }) => {
    if (!(runTabs as readonly string[]).includes(tab)) {
      redirect({ to: '/chatrooms/$cid/runs/$rid', params: { cid, rid }, replace: true, throw: true })
    }
  },
  loader: ({ context, params }) => {
    void context.queries.prefetchQuery(runOf(params))
    void loadTab[params.tab as RunTab]()
  },
  component: lazyRouteComponent(() => import('../screens/run/run-page.tsx'), 'RunPage'),
})

const runs = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs',
  validateSearch: readFilters,
  component: lazyRouteComponent(() => import('../screens/runs/runs-page.tsx'), 'RunsPage'),
})

const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/inbox',
  beforeLoad: () => redirect({ to: '/inbox/todo', replace: true, throw: true }),
})

const todo = createRoute({
  getParentRoute: () => signedIn,
  path: '/inbox/todo',
  component: lazyRouteComponent(() => import('../screens/inbox/todo-page.tsx'), 'TodoPage'),
})

const proposal = createRoute({
  getParentRoute: () => signedIn,
  path: '/inbox/proposals/$pid',
  component: lazyRouteComponent(() => import('../screens/inbox/proposal-page.tsx'), 'ProposalPage'),
})

const notifications = createRoute({
  getParentRoute: () => signedIn,
  path: '/inbox/notifications',
  validateSearch: (search): { all?: true } => (search.all === true ? { all: true } : {}),
  component: lazyRouteComponent(() => import('../screens/inbox/notifications-page.tsx'), 'NotificationsPage'),
})

const environments = createRoute({
  getParentRoute: () => signedIn,
  path: '/environments',
  component: lazyRouteComponent(
    () => import('../screens/environments/environments-page.tsx'),
    'EnvironmentsPage',
  ),
})

const newEnvironment = createRoute({
  getParentRoute: () => signedIn,
  path: '/environments/new',
  component: lazyRouteComponent(
    () => import('../screens/environments/new-environment-page.tsx'),
    'NewEnvironmentPage',
  ),
})

const environment = createRoute({
  getParentRoute: () => signedIn,
  path: '/environments/$id',
  component: lazyRouteComponent(
    () => import('../screens/environments/environment-page.tsx'),
    'EnvironmentPage',
  ),
})

const newVersion = createRoute({
  getParentRoute: () => signedIn,
  path: '/environments/$id/new',
  component: lazyRouteComponent(
    () => import('../screens/environments/new-version-page.tsx'),
    'NewVersionPage',
  ),
})

const environmentVersion = createRoute({
  getParentRoute: () => signedIn,
  path: '/environments/$id/versions/$vid',
  component: lazyRouteComponent(() => import('../screens/environments/version-page.tsx'), 'VersionPage'),
})

const environmentFindings = createRoute({
  getParentRoute: () => signedIn,
  path: '/environments/$id/findings',
  validateSearch: readFindingFilters,
  component: lazyRouteComponent(
    () => import('../screens/environment-findings/findings-page.tsx'),
    'EnvironmentFindingsPage',
  ),
})

const versionPart = createRoute({
  getParentRoute: () => signedIn,
  path: '/environments/$id/versions/$vid/$part',
  validateSearch: readPartSearch,
  beforeLoad: ({ params: { id, vid, part } }) => {
    if (!isImagePart(part)) {
      redirect({ to: '/environments/$id/versions/$vid', params: { id, vid }, replace: true, throw: true })
    }
  },
  component: lazyRouteComponent(() => import('../screens/environments/version-page.tsx'), 'VersionPage'),
})

const build = createRoute({
  getParentRoute: () => signedIn,
  path: '/environments/$id/versions/$vid/builds/$aid',
  component: lazyRouteComponent(() => import('../screens/environments/build-page.tsx'), 'BuildPage'),
})

const tasks = createRoute({
  getParentRoute: () => signedIn,
  path: '/tasks',
  component: lazyRouteComponent(() => import('../screens/tasks/tasks-page.tsx'), 'TasksPage'),
})

const newTask = createRoute({
  getParentRoute: () => signedIn,
  path: '/tasks/new',
  component: lazyRouteComponent(() => import('../screens/tasks/new-task-page.tsx'), 'NewTaskPage'),
})

const task = createRoute({
  getParentRoute: () => signedIn,
  path: '/tasks/$id',
  component: lazyRouteComponent(() => import('../screens/tasks/task-page.tsx'), 'TaskPage'),
})

const newDraft = createRoute({
  getParentRoute: () => signedIn,
  path: '/tasks/$id/new',
  component: lazyRouteComponent(() => import('../screens/tasks/new-draft-page.tsx'), 'NewDraftPage'),
})

const taskVersion = createRoute({
  getParentRoute: () => signedIn,
  path: '/tasks/$id/versions/$vid',
  component: lazyRouteComponent(() => import('../screens/tasks/version-page.tsx'), 'TaskVersionPage'),
})

const taskVersionPart = createRoute({
  getParentRoute: () => signedIn,
  path: '/tasks/$id/versions/$vid/$part',
  validateSearch: readPartSearch,
  beforeLoad: ({ params: { id, vid, part } }) => {
    if (part !== 'compare')
      redirect({ to: '/tasks/$id/versions/$vid', params: { id, vid }, replace: true, throw: true })
  },
  component: lazyRouteComponent(() => import('../screens/tasks/version-page.tsx'), 'TaskVersionPage'),
})

const editDraft = createRoute({
  getParentRoute: () => signedIn,
  path: '/tasks/$id/versions/$vid/edit',
  component: lazyRouteComponent(() => import('../screens/tasks/edit-draft-page.tsx'), 'EditDraftPage'),
})

const search = createRoute({
  getParentRoute: () => signedIn,
  path: '/search',
  validateSearch: ({ q }): { q?: string } => present({ q: textIn(q) }),
  component: lazyRouteComponent(() => import('../screens/search/search-page.tsx'), 'SearchPage'),
})

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/me',
  component: lazyRouteComponent(() => import('../screens/me/me-page.tsx'), 'MePage'),
})

const elsewhere = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFoundPage })

const screens = signedIn.addChildren([
  home,
  rooms,
  room,
  secrets,
  grantedJobs,
  doors,
  roomNotifications,
  schedules,
  newSchedule,
  changeSchedule,
  runForm,
  roomRuns,
  run,
  runTab,
  runs,
  inbox,
  todo,
  proposal,
  notifications,
  environments,
  newEnvironment,
  environment,
  newVersion,
  environmentFindings,
  environmentVersion,
  versionPart,
  build,
  tasks,
  newTask,
  task,
  newDraft,
  taskVersion,
  taskVersionPart,
  editDraft,
  search,
  account,
  ...tableScreens,
  ...roomScreens,
  companyScreens,
  elsewhere,
])

/** The addresses of all screens. A screen and its data are loaded when the pointer comes near its link. */
export const makeRouter = (queries: QueryClient) =>
  createRouter({
    routeTree: root.addChildren([signIn, screens]),
    basepath: '/console',
    context: { queries },
    defaultPreload: 'intent',
    defaultErrorComponent: BrokenPage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}
