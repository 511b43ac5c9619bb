import type { User } from '@sandbox-jobs/contract/resources/companies/user.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Session } from '../session/session.ts'
import { allPages } from './all-pages.ts'
import { pickNamed } from './pick-named.ts'

/** A user of the company by login name or id, also a disabled one; for administrators. */
export async function findUser({ client }: Session, wanted: string): Promise<User> {
  const users = await allPages((query) =>
    client.call(allRoutes.listUsers, { query: { ...query, lifecycle: 'all' } }),
  )
  return pickNamed(
    'user',
    wanted,
    users.map((user) => ({ ...user, name: user.login })),
    'in the company',
  )
}
