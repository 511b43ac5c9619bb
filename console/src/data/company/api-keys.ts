import type { ApiKey } from '@sandbox-jobs/contract/resources/access/api-key.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryClient } from '@tanstack/react-query'
import { apiAll, apiQuery, readAgain } from '../api/queries.ts'

/** The keys of the company, revoked ones too. */
export const apiKeys = apiAll(allRoutes.listApiKeys, { query: { lifecycle: 'all' } })

export const apiKeyOf = (id: string) => apiQuery(allRoutes.readApiKey, { params: { id } })

export const readKeysAgain = (queries: QueryClient): Promise<void> =>
  readAgain(queries, [allRoutes.listApiKeys, allRoutes.readApiKey])

export type KeyState = 'active' | 'expired' | 'revoked'

export function keyStateOf({ revoked_at, expires_at }: ApiKey, now: number): KeyState {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && Date.parse(expires_at) <= now ? 'expired' : 'active'
}
