import type { QueryClient } from '@tanstack/react-query'
import { me } from '../data/person/me.ts'
import type { makeRouter } from './router.tsx'
import { signedIn } from './signed-in.ts'

/** A component that is loaded lazily can be loaded before it is drawn. */
interface Lazy {
  preload?: () => Promise<void>
}

/** Begins to load the person and the code of the screen at once: the router loads one after the other, and both after the texts. */
export function loadFirstScreen(router: ReturnType<typeof makeRouter>, queries: QueryClient): void {
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname)
  if (routes.some(({ id }) => id === signedIn.id)) void queries.prefetchQuery(me)
  for (const { options } of routes) void (options.component as Lazy | undefined)?.preload?.()
}
