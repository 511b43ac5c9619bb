import type { EgressAllowList } from '@sandbox-jobs/contract/resources/egress.ts'
import { sha256Of } from '../base/sha256.ts'
import { type AllowList, narrowed } from '../executor/allow-list.ts'
import type { SandboxNetwork } from '../executor/port.ts'

interface NetworkOfRun {
  company_id: string
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
  const share = shareOf(job.company_id)
  if (!first) return { egressCapBytes, share }
  const allow = second ? narrowed(listOf(first), listOf(second)) : listOf(first)
  return { egressCapBytes, share, allow }
}

const hexDigitsOfSafeInteger = 13

/** Runs of one company share one part of the resolver. Nothing but the number tells the executor of the company. */
const shareOf = (companyId: string): number =>
  Number.parseInt(sha256Of(companyId).slice('sha256:'.length).slice(0, hexDigitsOfSafeInteger), 16) || 1

const listOf = ({ domains, cidrs }: EgressAllowList): AllowList => ({ names: domains, ranges: cidrs })
