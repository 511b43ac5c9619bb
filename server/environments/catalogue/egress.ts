import type { Egress, EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import { type AllowListProblem, allowListProblem } from '../../../agent/port/allow-list.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'
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

/** Normalizes the list for storage: lower case, no duplicates. Throws 422 with the path of the first invalid entry. */
export function acceptedAllowList(list: EgressAllowList | null): EgressAllowList | null {
  if (list === null) return null
  const domains = list.domains.map((entry) => entry.toLowerCase())
  const cidrs = list.cidrs.map((entry) => entry.toLowerCase())
  const bad = allowListProblem({ names: domains, ranges: cidrs })
  if (bad) {
    const field = bad.of === 'names' ? 'domains' : 'cidrs'
    throw invalid(['body', 'allow_list', field, bad.at], bad.problem, messages[bad.problem])
  }
  return { domains: [...new Set(domains)], cidrs: [...new Set(cidrs)] }
}

const messages: Record<AllowListProblem, string> = {
  too_many: 'has too many entries',
  name_invalid: 'must be a domain name in ASCII, with *. before it for every name below',
  range_invalid: 'must be a range such as 8.8.8.0/24, without bits beyond its prefix',
  range_not_public: 'must hold public addresses only',
}
