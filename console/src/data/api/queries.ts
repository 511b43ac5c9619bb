import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import type { CallResult, GivenParts } from '@sandbox-jobs/contract/client/client.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import {
  infiniteQueryOptions,
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
} from '@tanstack/react-query'
import { allPages, type PageOf } from './all-pages.ts'
import { api, connection } from './api.ts'
import { signInNeeded } from './sign-in-state.ts'

const staleAfterMs = 30_000
const busyRetries = 3
const longestBusyWaitSeconds = 10

/** The status of every answer to a credential that is missing or no longer valid. */
export const isSignInMissing = (error: unknown): boolean => error instanceof ApiError && error.status === 418

const noteError = (error: unknown): void => {
  if (isSignInMissing(error)) signInNeeded.set(true)
}

const busySeconds = (error: unknown): number | null =>
  error instanceof ApiError ? error.retryAfterSeconds : null

function isBriefly(busy: number | null): busy is number {
  return busy !== null && busy <= longestBusyWaitSeconds
}

/** The cache of answers. When the service answers again, all that failed is asked for again. */
export function makeQueries(): QueryClient {
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError: noteError }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _context, { meta }) => {
        if (!meta?.isSignIn) noteError(error)
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: staleAfterMs,
        networkMode: 'always',
        retry: (failures, error) => failures < busyRetries && isBriefly(busySeconds(error)),
        retryDelay: (_, error) => (busySeconds(error) ?? 1) * 1000,
      },
      mutations: { networkMode: 'always' },
    },
  })
  connection.state.subscribe(() => {
    if (connection.state.get().isUp) void queries.invalidateQueries()
  })
  return queries
}

const keyOf = (route: Route, given: object) => {
  const { params = {}, query = {} } = given as { params?: object; query?: object }
  return [route.path, params, query] as const
}

const read = <R extends Route>(route: R, given: object): Promise<CallResult<R>> =>
  (api.call as (route: Route, given: object) => Promise<CallResult<R>>)(route, given)

/** The answer of a route, as a query. Its key begins with the path of the route. */
export const apiQuery = <const R extends Route>(route: R, given: GivenParts<R> & object) =>
  queryOptions({
    queryKey: keyOf(route, given),
    queryFn: ({ signal }) => read(route, { ...given, signal }),
  })

/** All pages of a route that lists, as one query that grows. */
export const apiPages = <const R extends Route>(route: R, given: GivenParts<R> & object) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(route, given), 'pages'],
    queryFn: ({ signal, pageParam }) =>
      read(route, { ...given, query: { ...queryOf(given), page_token: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page as { next_page_token?: string | null }).next_page_token ?? undefined,
  })

/** All items of a route that lists, as one query, for what a person sees as a whole (`all-pages.ts`). */
export const apiAll = <const R extends Route>(route: R, given: GivenParts<R> & object) =>
  queryOptions({
    queryKey: [...keyOf(route, given), 'all'],
    queryFn: ({ signal }) =>
      allPages(
        (query) =>
          read(route, { ...given, query: { ...queryOf(given), ...query }, signal }) as Promise<
            PageOf<ItemOf<R>>
          >,
      ),
  })

type ItemOf<R extends Route> = CallResult<R> extends { items: (infer Item)[] } ? Item : never

/** Has the answers of these routes read again. */
export function readAgain(queries: QueryClient, routes: readonly Route[]): Promise<void> {
  const paths = new Set<unknown>(routes.map(({ path }) => path))
  return queries.invalidateQueries({ predicate: ({ queryKey }) => paths.has(queryKey[0]) })
}

const queryOf = (given: object): object =>
  'query' in given && given.query !== undefined ? (given.query as object) : {}
