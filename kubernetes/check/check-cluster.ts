import { newRequestId } from '../../server/base/ids.ts'
import type { KubernetesClient } from '../api/client.ts'
import { KubernetesRefused, KubernetesUnavailable } from '../api/failures.ts'
import type { PodSettings } from '../pod/pod-settings.ts'
import { accountRights } from './account-rights.ts'
import { listenFor } from './canary-listeners.ts'
import { bad, type ClusterFinding, good } from './finding.ts'
import { kernelOf, probeFindings } from './probe-report.ts'
import { checkExecutor, deleteFormerProbes, runProbe } from './run-probe.ts'

export interface ClusterToCheck extends Omit<PodSettings, 'executor' | 'resolvers'> {
  namespace: string
}

/** Looks at a cluster as runs will use it, with a pod of a run in which a program of ours reports what it could do. */
export async function checkCluster(
  client: KubernetesClient,
  cluster: ClusterToCheck,
): Promise<ClusterFinding[]> {
  const findings: ClusterFinding[] = []
  try {
    const { gitVersion } = await client.read('/version')
    findings.push(good('api_server', typeof gitVersion === 'string' ? gitVersion : 'of an unknown version'))
    const rights = await accountRights(client, cluster.namespace)
    findings.push(...rights)
    if (rights.every(({ ok, needed }) => ok || !needed)) findings.push(...(await probed(client, cluster)))
  } catch (error) {
    const isRefused = error instanceof KubernetesRefused
    if (!isRefused && !(error instanceof KubernetesUnavailable)) throw error
    const advice = isRefused
      ? 'use credentials of an account of this cluster'
      : 'check --server and --credentials; ca.crt has to prove the server'
    findings.push(bad(isRefused ? 'credentials' : 'api_server', error.message, advice))
  }
  return findings
}

async function probed(
  client: KubernetesClient,
  { namespace, ...cluster }: ClusterToCheck,
): Promise<ClusterFinding[]> {
  const settings: PodSettings = { ...cluster, executor: checkExecutor, resolvers: [] }
  const { gateway, canaryPort, boundary } = cluster
  await deleteFormerProbes(client, namespace)
  const listeners = await listenFor(gateway.address, [gateway.port, canaryPort])
  try {
    const outcome = await runProbe(client, { namespace, id: probeId(), settings })
    const findings = probeFindings(outcome, boundary)
    if (boundary.kind !== 'runtime_class' || outcome.kind !== 'ended') return findings
    const without: PodSettings = { ...settings, boundary: { kind: 'none' } }
    const other = await runProbe(client, { namespace, id: probeId(), settings: without })
    return [...findings, classFinding(boundary.name, kernelOf(outcome), kernelOf(other))]
  } finally {
    await listeners.close()
  }
}

const probeId = () => `${checkExecutor}_${newRequestId()}`

/** A class whose pods see the kernel of pods without it is no boundary. */
function classFinding(name: string, kernel: string | undefined, ofNode: string | undefined): ClusterFinding {
  if (kernel !== undefined && ofNode !== undefined && kernel !== ofNode)
    return good('runtime_class', `${name}, with the kernel ${kernel}; the nodes have ${ofNode}`)
  const found =
    kernel === undefined || ofNode === undefined ? 'not known' : `${name} has the kernel of the node`
  return bad('runtime_class', found, 'name a class of gVisor or Kata Containers')
}
