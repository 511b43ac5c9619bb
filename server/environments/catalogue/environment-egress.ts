import type { Egress, EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { acceptedAllowList } from './allow-list.ts'
import { managedEnvironment } from './environment-access.ts'
import type { EnvironmentContext } from './environment-context.ts'
import { setAllowList } from './environment-store.ts'

/** Hosts that the environment's owner allows its runs to reach. */
export async function readEnvironmentEgress(
  context: EnvironmentContext,
  principal: Principal,
  id: string,
): Promise<Egress> {
  const environment = await managedEnvironment(context.db, principal, 'environment.change', id)
  return { allow_list: environment.egress_allow_list }
}

/** Applies to all versions, from the next start of a run. Throws 422 for an invalid entry. */
export async function changeEnvironmentEgress(
  context: EnvironmentContext,
  principal: Principal,
  { id, allowList }: { id: string; allowList: EgressAllowList | null },
): Promise<Egress> {
  const environment = await managedEnvironment(context.db, principal, 'environment.change', id)
  const accepted = acceptedAllowList(allowList)
  if (!(await setAllowList(context.db, environment, accepted))) throw notFound()
  return { allow_list: accepted }
}
