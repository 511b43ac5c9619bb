import type { Preferences } from '@sandbox-jobs/contract/resources/access/own-account.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryClient } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { me } from './me.ts'

/** Keeps a choice of the person for all of their browsers. The page follows it at once, whatever the service says. */
export async function keepPreference(queries: QueryClient, changed: Partial<Preferences>): Promise<void> {
  const account = queries.getQueryData(me.queryKey)
  if (account === undefined) return
  const body = { ...account.preferences, ...changed }
  queries.setQueryData(me.queryKey, { ...account, preferences: body })
  await api.call(allRoutes.updatePreferences, { body })
}
