import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { folderIn } from '../screens/sessions/paths.ts'
import { signedIn } from './signed-in.ts'

const files = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/files',
  component: lazyRouteComponent(() => import('../screens/room-files/room-files-page.tsx'), 'RoomFilesPage'),
})

const sessions = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/sessions',
  component: lazyRouteComponent(() => import('../screens/sessions/sessions-page.tsx'), 'SessionsPage'),
})

const session = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/sessions/$sid',
  validateSearch: (search): { path?: string } => folderIn(search.path),
  component: lazyRouteComponent(() => import('../screens/sessions/session-page.tsx'), 'SessionPage'),
})

const quickRun = createRoute({
  getParentRoute: () => signedIn,
  path: '/chatrooms/$cid/quick-run',
  component: lazyRouteComponent(() => import('../screens/quick-run/quick-run-page.tsx'), 'QuickRunPage'),
})

/** Screens of a room beside its jobs and runs. */
export const roomScreens = [files, sessions, session, quickRun]
