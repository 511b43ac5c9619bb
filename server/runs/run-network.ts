import type { EgressAllowList } from '@sandbox-jobs/contract/resources/egress.ts'
import { type AllowList, narrowed } from '../executor/allow-list.ts'
import type { SandboxNetwork } from '../executor/port.ts'

interface NetworkOfRun {
  runtime_egress_enabled: boolean
  environment_allow_list: EgressAllowList | null
  task_allow_list: EgressAllowList | null
}

/**
 * What a run reaches, by what holds when it is claimed: nothing where the operator (no cap) or the company has egress off,
 * else what the lists of its environment and its task both allow.
 */
export function networkOfRun(job: NetworkOfRun, egressCapBytes: number | undefined): SandboxNetwork {
  if (!job.runtime_egress_enabled || egressCapBytes === undefined) return 'none'
  const [first, second] = [job.environment_allow_list, job.task_allow_list].filter((list) => list !== null)
  if (!first) return { egressCapBytes }
  const allow = second ? narrowed(listOf(first), listOf(second)) : listOf(first)
  return { egressCapBytes, allow }
}

const listOf = ({ domains, cidrs }: EgressAllowList): AllowList => ({ names: domains, ranges: cidrs })
