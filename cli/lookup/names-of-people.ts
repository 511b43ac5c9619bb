import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { roles } from '@sandbox-jobs/contract/resources/companies/user.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Session } from '../session/session.ts'

/** Names of the submitters of runs, by id: the caller as `you`, and for administrators the logins of the others. */
export async function namesOfPeople(
  { client }: Session,
  runs: readonly RunDetail[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  const users = new Set(runs.flatMap((run) => (run.principal_type === 'user' ? run.principal_id : [])))
  if (users.size === 0) return names
  const me = await client.call(allRoutes.readMe).catch(withoutRight)
  if (me === undefined) return names
  names.set(me.principal_id, 'you')
  users.delete(me.principal_id)
  if (me.role !== roles.company_administrator) return names
  for (const id of users) {
    const user = await client.call(allRoutes.readUser, { params: { id } }).catch(withoutRight)
    if (user) names.set(id, user.login)
  }
  return names
}

/** Undefined for what the caller may not read; a list is useful without it. */
function withoutRight(error: unknown): undefined {
  if (error instanceof ApiError && error.status < 500) return undefined
  throw error
}
