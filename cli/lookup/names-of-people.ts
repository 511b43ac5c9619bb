import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Session } from '../session/session.ts'

/** Names of the submitters of at most 100 runs, by id: the caller as `you`, and those whose names the caller may know. */
export async function namesOfPeople(
  { client }: Session,
  runs: readonly RunDetail[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  const ids = [...new Set(runs.map(({ principal_id }) => principal_id))]
  if (ids.length === 0) return names
  const me = await client.call(allRoutes.readMe).catch(withoutRight)
  if (me === undefined) return names
  const others = ids.filter((id) => id !== me.principal_id)
  if (others.length < ids.length) names.set(me.principal_id, 'you')
  if (others.length === 0) return names
  const found = await client.call(allRoutes.readNames, { query: { ids: others } }).catch(withoutRight)
  for (const { id, name } of found?.items ?? []) names.set(id, name)
  return names
}

/** Undefined for what the caller may not read; a list is useful without it. */
function withoutRight(error: unknown): undefined {
  if (error instanceof ApiError && error.status < 500) return undefined
  throw error
}
