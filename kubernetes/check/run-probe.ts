import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import type { KubernetesClient } from '../api/client.ts'
import { KubernetesRefused } from '../api/failures.ts'
import { follow } from '../api/follow.ts'
import { podsOf } from '../api/paths.ts'
import { type PodSettings, podLabels } from '../pod/pod-settings.ts'
import { podName, runPod } from '../pod/run-pod.ts'
import { type PodOutcome, podOutcome } from './pod-outcome.ts'

const mib = 1024 ** 2
/** The value of the label of executors. */
export const checkExecutor = 'check'
const waitMs = 90_000

/** The specification of a small job; where something isolates it, with the user that could do the most. */
const probeSpec = (id: string, { boundary }: PodSettings): SandboxSpec => ({
  id,
  rootfs: { kind: 'image', digest: '' },
  argv: [],
  env: {},
  user: boundary.kind === 'none' ? { uid: 65_534, gid: 65_534 } : { uid: 0, gid: 0 },
  hostname: 'job',
  runtime: boundary.kind === 'runtime_class' ? 'runsc' : 'crun',
  confinement: 'job',
  network: 'none',
  limits: {
    timeoutMs: 30_000,
    memoryBytes: 128 * mib,
    workspaceBytes: 16 * mib,
    workspaceKind: 'memory',
    workspaceInodes: 1024,
    vcpu: 0.1,
    pids: 16,
    openFiles: 64,
    logBytes: mib,
  },
  collect: { files: [] },
})

/** Starts the pod of a run with the probe in both containers, waits until it ended or cannot start, and deletes it. */
export async function runProbe(
  client: KubernetesClient,
  { namespace, id, settings }: { namespace: string; id: string; settings: PodSettings },
): Promise<PodOutcome> {
  const pods = podsOf(namespace)
  const manifest = runPod(probeSpec(id, settings), settings.collectorImage, settings)
  let uid: string
  try {
    uid = (await client.create(pods, manifest)).metadata.uid
  } catch (error) {
    if (error instanceof KubernetesRefused)
      return { kind: 'stuck', slug: 'pod_refused', reason: error.message }
    throw error
  }
  const name = podName(id)
  try {
    return await outcomeOf(client, pods, name)
  } finally {
    await client.delete(pods, { name, uid }, 0)
  }
}

async function outcomeOf(client: KubernetesClient, pods: string, name: string): Promise<PodOutcome> {
  const ends = new AbortController()
  const signal = AbortSignal.any([ends.signal, AbortSignal.timeout(waitMs)])
  try {
    for await (const event of follow(client, pods, { signal, fieldSelector: `metadata.name=${name}` })) {
      const pod = event.kind === 'all' ? event.objects[0] : event.object
      if (!pod || event.kind === 'removed')
        return { kind: 'stuck', slug: 'pod_refused', reason: 'the pod was deleted' }
      const outcome = podOutcome(pod)
      if (outcome) return outcome
    }
  } finally {
    ends.abort()
  }
  return { kind: 'stuck', slug: 'pod_refused', reason: `it did not end within ${waitMs / 1000} seconds` }
}

/** Pods of checks that were killed before they deleted theirs. Those of a check that goes on have not ended. */
export async function deleteFormerProbes(client: KubernetesClient, namespace: string): Promise<void> {
  const pods = podsOf(namespace)
  const { items } = await client.list(pods, { labelSelector: `${podLabels.executor}=${checkExecutor}` })
  for (const pod of items) if (podOutcome(pod)) await client.delete(pods, pod.metadata, 0)
}
