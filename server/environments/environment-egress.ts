import type { Egress, EgressAllowList } from '@sandbox-jobs/contract/resources/egress.ts'
import { notFound } from '../base/coded-error.ts'
import type { Principal } from '../platform/principal.ts'
import { acceptedAllowList } from './allow-list.ts'
import { managedEnvironment } from './environment-access.ts'
import type { EnvironmentContext } from './environment-context.ts'
import { setAllowList } from './environment-store.ts'

/** What the environment's owner lets its runs reach. */
export async function readEnvironmentEgress(
  context: EnvironmentContext,
  principal: Principal,
  id: string,
): Promise<Egress> {
  const environment = await managedEnvironment(context.db, principal, id)
  return { allow_list: environment.egress_allow_list }
}

/** Holds from the next start of a run on, in every version. Throws 422 for an entry that is not acceptable. */
export async function changeEnvironmentEgress(
  context: EnvironmentContext,
  principal: Principal,
  { id, allowList }: { id: string; allowList: EgressAllowList | null },
): Promise<Egress> {
  const environment = await managedEnvironment(context.db, principal, id)
  const accepted = acceptedAllowList(allowList)
  if (!(await setAllowList(context.db, environment, accepted))) throw notFound()
  return { allow_list: accepted }
}
