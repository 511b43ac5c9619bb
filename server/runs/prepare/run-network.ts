import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import { type AllowList, narrowed } from '../../../agent/port/allow-list.ts'
import type { SandboxNetwork } from '../../../agent/port/sandbox-spec.ts'

interface NetworkOfRun {
  runtime_egress_enabled: boolean
  reserved_received_bytes: number | null
  reserved_sent_bytes: number | null
  environment_allow_list: EgressAllowList | null
  task_allow_list: EgressAllowList | null
}

/**
 * The network of a run, by the settings at its claim: none if the operator (no cap) or the company has disabled egress,
 * otherwise the destinations that the lists of its environment and its task both allow. Where bytes have a price the run may use
 * those that its hold covers.
 */
export function networkOfRun(job: NetworkOfRun, egressCapBytes: number | undefined): SandboxNetwork {
  if (!job.runtime_egress_enabled || egressCapBytes === undefined) return 'none'
  const { reserved_received_bytes: received, reserved_sent_bytes: sent } = job
  const caps = {
    egressCapBytes: sent === null ? egressCapBytes : Math.min(egressCapBytes, sent),
    ...(received !== null && { ingressCapBytes: received }),
  }
  const [first, second] = [job.environment_allow_list, job.task_allow_list].filter((list) => list !== null)
  if (!first) return caps
  const allow = second ? narrowed(allowListOf(first), allowListOf(second)) : allowListOf(first)
  return { ...caps, allow }
}

/** Bytes that a run that only writes to its output may send. */
const serviceEgressCapBytes = 256 * 1024 ** 2

/** The same, and the service's own address. A run without egress gets a link that leads there alone. */
export const withService = (network: SandboxNetwork): SandboxNetwork =>
  network === 'none'
    ? { egressCapBytes: serviceEgressCapBytes, allow: { names: [], ranges: [] }, service: true }
    : { ...network, service: true }

const allowListOf = ({ domains, cidrs }: EgressAllowList): AllowList => ({ names: domains, ranges: cidrs })
