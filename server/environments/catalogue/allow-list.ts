import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import { type AllowListProblem, allowListProblem } from '../../../agent/port/allow-list.ts'
import { invalid } from '../../base/errors/validation-error.ts'

const messages: Record<AllowListProblem, string> = {
  too_many: 'has too many entries',
  name_invalid: 'must be a domain name in ASCII, with *. before it for every name below',
  range_invalid: 'must be a range such as 8.8.8.0/24, without bits beyond its prefix',
  range_not_public: 'must hold public addresses only',
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
