import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import type { PodSettings } from '../pod/pod-settings.ts'
import { bad, type ClusterFinding, good } from './finding.ts'
import type { PodOutcome } from './pod-outcome.ts'

/** The bits of the job's exit code, in the order of native/pod-probe/probe.h. */
const openings: readonly [slug: string, found: string, advice: string][] = [
  [
    'host_users',
    'users of a pod are users of the node: the cluster dropped hostUsers',
    'use Kubernetes 1.33 or later with containerd 2 and runc 1.2, or name a runtime class that isolates (--runtime-class)',
  ],
  ['capabilities', 'a pod has capabilities, or can get them', 'look for a webhook that changes pods'],
  ['filter', 'a pod has no filter of system calls', 'have the kubelet support seccomp'],
  ['root_writable', 'a pod can write to its image', 'look for a webhook that changes pods'],
  [
    'workspace',
    'the workspace is not held to its size',
    'use Kubernetes 1.22 or later, which has SizeMemoryBackedVolumes on',
  ],
  ['message', 'a job can write into the status of its pod', 'use an image that this release made'],
  ['token', 'a job sees a token of the cluster', 'look for a webhook that changes pods'],
]
/** Between a program and the kernel of the node, which a runtime class replaces. */
const ofNodeAlone = ['host_users', 'filter']
const allOpenings = 2 ** openings.length - 1

interface NetworkReport {
  gatewayMs: number
  canaryReachedMs: number
  canaryBlocked: boolean
  kernel: string
}

/** Undefined if the message is none of the probe's. */
function networkReport(message: string): NetworkReport | undefined {
  let value: unknown
  try {
    value = JSON.parse(message)
  } catch {
    return undefined
  }
  if (!isJsonObject(value)) return undefined
  const { gateway_ms, canary_reached_ms, canary_blocked, kernel } = value
  if (typeof gateway_ms !== 'number' || typeof canary_reached_ms !== 'number') return undefined
  if (typeof canary_blocked !== 'boolean' || typeof kernel !== 'string' || !/^[\w.+-]{1,64}$/.test(kernel))
    return undefined
  return { gatewayMs: gateway_ms, canaryReachedMs: canary_reached_ms, canaryBlocked: canary_blocked, kernel }
}

/** The release of the kernel that the pod's programs see; undefined if it did not come to that. */
export const kernelOf = (outcome: PodOutcome): string | undefined =>
  outcome.kind === 'ended' ? networkReport(outcome.message)?.kernel : undefined

/** Everything that the pod of a check reports. */
export function probeFindings(outcome: PodOutcome, boundary: PodSettings['boundary']): ClusterFinding[] {
  if (outcome.kind === 'stuck') return [bad(outcome.slug, outcome.reason, adviceOf[outcome.slug])]
  const network = outcome.collectorExitCode === 0 ? networkReport(outcome.message) : undefined
  if (!network || outcome.jobExitCode > allOpenings)
    return [
      bad('probe', `it ended with ${outcome.jobExitCode} and ${outcome.collectorExitCode}`, adviceOf.probe),
    ]
  const isExpected = (slug: string) => boundary.kind === 'runtime_class' && ofNodeAlone.includes(slug)
  const open = openings.filter(([slug], bit) => (outcome.jobExitCode & (2 ** bit)) !== 0 && !isExpected(slug))
  return [
    ...(open.length === 0 ? [good('confinement', 'as the manifest says')] : open.map((one) => bad(...one))),
    ...networkFindings(network),
  ]
}

const adviceOf = {
  image_unavailable: 'push the image of sandbox operator kubernetes probe-image, and name it by its digest',
  unschedulable: 'give the cluster a node that is free, or the namespace a larger quota',
  pod_refused: 'correct what the message names',
  probe: 'use an image that this release made',
}

function networkFindings({ gatewayMs, canaryReachedMs, canaryBlocked }: NetworkReport): ClusterFinding[] {
  if (gatewayMs < 0) {
    const advice =
      'let nodes and pods connect to the address of --gateway, and apply the printed network policies'
    return [bad('gateway', 'a pod does not reach the gateway', advice)]
  }
  const gateway = good('gateway', `reached in ${gatewayMs} ms`)
  if (!canaryBlocked) {
    const advice =
      'apply the printed network policies, and use a network plug-in that enforces them: Cilium, Calico, Antrea, kube-router, OVN-Kubernetes'
    return [gateway, bad('network_rules', 'a pod reaches a port that no network policy allows', advice)]
  }
  const found =
    canaryReachedMs < 0
      ? 'enforced from the first packet'
      : `enforced, but a pod was without them for ${canaryReachedMs} ms: starts wait for that`
  return [gateway, good('network_rules', found)]
}
