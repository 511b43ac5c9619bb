import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { readName } from '../data/search-values.ts'
import { readAuditFilters } from '../screens/audit/audit-filters.ts'
import { readUsageFilters } from '../screens/usage/usage-filters.ts'
import { signedIn } from './signed-in.ts'

/** The screens of the company, each for the roles of `data/company/company-parts.ts`. */
const company = createRoute({
  getParentRoute: () => signedIn,
  path: '/company',
  component: lazyRouteComponent(() => import('../screens/company/company-screen.tsx'), 'CompanyScreen'),
})

const companyHome = createRoute({
  getParentRoute: () => company,
  path: '/',
  component: lazyRouteComponent(() => import('../screens/company/company-screen.tsx'), 'CompanyHome'),
})

const people = createRoute({
  getParentRoute: () => company,
  path: '/people',
  validateSearch: readName,
  component: lazyRouteComponent(() => import('../screens/people/people-page.tsx'), 'PeoplePage'),
})

const newPerson = createRoute({
  getParentRoute: () => company,
  path: '/people/new',
  component: lazyRouteComponent(() => import('../screens/people/new-person-page.tsx'), 'NewPersonPage'),
})

const person = createRoute({
  getParentRoute: () => company,
  path: '/people/$uid',
  component: lazyRouteComponent(() => import('../screens/people/person-page.tsx'), 'PersonPage'),
})

const departments = createRoute({
  getParentRoute: () => company,
  path: '/departments',
  validateSearch: readName,
  component: lazyRouteComponent(
    () => import('../screens/departments/departments-page.tsx'),
    'DepartmentsPage',
  ),
})

const department = createRoute({
  getParentRoute: () => company,
  path: '/departments/$id',
  component: lazyRouteComponent(() => import('../screens/departments/department-page.tsx'), 'DepartmentPage'),
})

const rooms = createRoute({
  getParentRoute: () => company,
  path: '/chatrooms',
  validateSearch: readName,
  component: lazyRouteComponent(
    () => import('../screens/company-rooms/company-rooms-page.tsx'),
    'CompanyRoomsPage',
  ),
})

const room = createRoute({
  getParentRoute: () => company,
  path: '/chatrooms/$cid',
  component: lazyRouteComponent(
    () => import('../screens/company-rooms/company-room-page.tsx'),
    'CompanyRoomPage',
  ),
})

const keys = createRoute({
  getParentRoute: () => company,
  path: '/keys',
  validateSearch: readName,
  component: lazyRouteComponent(() => import('../screens/keys/keys-page.tsx'), 'KeysPage'),
})

const newKey = createRoute({
  getParentRoute: () => company,
  path: '/keys/new',
  component: lazyRouteComponent(() => import('../screens/keys/new-key-page.tsx'), 'NewKeyPage'),
})

const key = createRoute({
  getParentRoute: () => company,
  path: '/keys/$id',
  component: lazyRouteComponent(() => import('../screens/keys/key-page.tsx'), 'KeyPage'),
})

const usage = createRoute({
  getParentRoute: () => company,
  path: '/usage',
  validateSearch: readUsageFilters,
  component: lazyRouteComponent(() => import('../screens/usage/usage-page.tsx'), 'UsagePage'),
})

const storage = createRoute({
  getParentRoute: () => company,
  path: '/storage',
  component: lazyRouteComponent(() => import('../screens/storage/storage-page.tsx'), 'StoragePage'),
})

const webhooks = createRoute({
  getParentRoute: () => company,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('../screens/webhooks/webhooks-page.tsx'), 'WebhooksPage'),
})

const newWebhook = createRoute({
  getParentRoute: () => company,
  path: '/webhooks/new',
  component: lazyRouteComponent(() => import('../screens/webhooks/new-webhook-page.tsx'), 'NewWebhookPage'),
})

const webhook = createRoute({
  getParentRoute: () => company,
  path: '/webhooks/$wid',
  component: lazyRouteComponent(() => import('../screens/webhooks/webhook-page.tsx'), 'WebhookPage'),
})

const settings = createRoute({
  getParentRoute: () => company,
  path: '/settings',
  component: lazyRouteComponent(() => import('../screens/settings/settings-page.tsx'), 'SettingsPage'),
})

const findings = createRoute({
  getParentRoute: () => company,
  path: '/findings',
  component: lazyRouteComponent(() => import('../screens/findings/findings-page.tsx'), 'FindingsPage'),
})

const audit = createRoute({
  getParentRoute: () => company,
  path: '/audit',
  validateSearch: readAuditFilters,
  component: lazyRouteComponent(() => import('../screens/audit/audit-page.tsx'), 'AuditPage'),
})

export const companyScreens = company.addChildren([
  companyHome,
  people,
  newPerson,
  person,
  departments,
  department,
  rooms,
  room,
  keys,
  newKey,
  key,
  usage,
  storage,
  webhooks,
  newWebhook,
  webhook,
  settings,
  findings,
  audit,
])
