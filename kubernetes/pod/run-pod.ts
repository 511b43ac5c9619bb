import { isClosed } from '../../agent/port/allow-list.ts'
import { ExecutorRefused } from '../../agent/port/errors.ts'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { collectorContainer, jobContainer, podVolumes } from './pod-containers.ts'
import { type PodSettings, podLabels, runnerAccount } from './pod-settings.ts'

/** Between the creation of a pod and the start of its program. */
const startAllowanceSeconds = 180
/** After the deadline of the program: collection, and what is uploaded. */
const endAllowanceSeconds = 120
const collectorGraceSeconds = 30
const lostNodeSeconds = 60

/**
 * The pod of a job. Pure, and nothing of a tenant is in it but numbers: no program, name, path or variable, because everybody who may read
 * pods would see them, and etcd keeps them. The collector gets them from the gateway.
 */
export function runPod(spec: SandboxSpec, image: string, settings: PodSettings) {
  refuseOthers(spec, settings)
  const { boundary, priorityClass } = settings
  const reach = reachOf(spec)
  return {
    apiVersion: 'v1',
    // A Job would start a pod again that was lost.
    kind: 'Pod',
    metadata: { name: podName(spec.id), labels: labelsOf(spec, settings), annotations: notMoved },
    spec: {
      restartPolicy: 'Never',
      ...boundaryFields(boundary),
      serviceAccountName: runnerAccount,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      shareProcessNamespace: false,
      hostname: 'job',
      dnsPolicy: 'None',
      dnsConfig: {
        nameservers: reach.public ? settings.resolvers : ['127.0.0.1'],
        options: [{ name: 'ndots', value: '1' }],
      },
      nodeSelector: { 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' },
      ...(priorityClass !== undefined && { priorityClassName: priorityClass }),
      tolerations: ['not-ready', 'unreachable'].map((state) => ({
        key: `node.kubernetes.io/${state}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: lostNodeSeconds,
      })),
      // The collector has the deadline; this ends a pod whose collector is gone.
      activeDeadlineSeconds:
        startAllowanceSeconds + Math.ceil(spec.limits.timeoutMs / 1000) + endAllowanceSeconds,
      terminationGracePeriodSeconds: collectorGraceSeconds,
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
      containers: [jobContainer(spec, image), collectorContainer(spec, settings)],
      volumes: podVolumes(spec),
    },
  }
}

/** Ids have no hyphen, so no two ids have one name. */
export function podName(sandboxId: string): string {
  if (!/^[a-z0-9](?:[a-z0-9_]{0,61}[a-z0-9])?$/.test(sandboxId))
    throw new ExecutorRefused('spec_invalid', 'the id of a sandbox is no name of a pod')
  return sandboxId.replaceAll('_', '-')
}

/** Neither an autoscaler nor a rebalancer moves a run. */
const notMoved = {
  'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
  'karpenter.sh/do-not-disrupt': 'true',
}

/** A runtime class brings its own boundary: kubelets refuse a pod with a user namespace where the handler of its class has none. */
const boundaryFields = (boundary: PodSettings['boundary']) =>
  boundary.kind === 'runtime_class' ? { runtimeClassName: boundary.name } : { hostUsers: false }

const labelsOf = (spec: SandboxSpec, { executor }: PodSettings) => {
  const reach = reachOf(spec)
  return {
    [podLabels.kind]: 'run',
    [podLabels.executor]: executor,
    ...(spec.owner !== undefined && { [podLabels.owner]: String(spec.owner) }),
    ...(reach.public && { [podLabels.public]: 'true' }),
    ...(reach.service && { [podLabels.service]: 'true' }),
  }
}

function reachOf({ network }: SandboxSpec): { public: boolean; service: boolean } {
  if (network === 'none') return { public: false, service: false }
  return { public: !isClosed(network.allow), service: network.service === true }
}

/** Everything that a pod cannot be held to is refused, never left out. */
function refuseOthers(
  { confinement, rootfs, network, user, limits, runtime }: SandboxSpec,
  { boundary, resolvers }: PodSettings,
): void {
  if (confinement !== 'job' || rootfs.kind !== 'image')
    throw new ExecutorRefused('builder_missing', 'a cluster builds no images')
  if (limits.workspaceKind !== 'memory')
    throw new ExecutorRefused('workspace_disk', 'a workspace of a pod is in memory')
  if (runtime === 'runsc' && boundary.kind !== 'runtime_class')
    throw new ExecutorRefused('runtime_missing', 'this executor has no runtime class that isolates')
  if (user.uid === 0 && boundary.kind === 'none')
    throw new ExecutorRefused('host', 'user 0 needs a user namespace, or a runtime class that isolates')
  if (network === 'none') return
  if (network.recorded || network.mirrors || network.registry)
    throw new ExecutorRefused('network_off', 'a pod has no network of builds')
  if (network.allow && !isClosed(network.allow))
    throw new ExecutorRefused('network_list', 'network policies of this executor know no allow lists')
  if (!isClosed(network.allow) && resolvers.length === 0)
    throw new ExecutorRefused('network_off', 'this executor has no resolvers')
}
