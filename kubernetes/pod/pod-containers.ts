import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { type PodSettings, runnerAudience } from './pod-settings.ts'

const mib = 1024 ** 2
const collectorMemoryBytes = 32 * mib
/** In the platform's layer, with the mode 0 and nobody's who could change it: the file that is mounted there is not reached. */
const closedMessagePath = '/.sandbox/closed/message'
const tokenSeconds = 600

/**
 * Both containers have the same rights and the same user: what the job wrote for itself alone, the collector can read. Their processes do not see
 * each other.
 */
const securityOf = ({ user }: SandboxSpec) => ({
  runAsUser: user.uid,
  runAsGroup: user.gid,
  runAsNonRoot: user.uid !== 0,
  readOnlyRootFilesystem: true,
  allowPrivilegeEscalation: false,
  privileged: false,
  capabilities: { drop: ['ALL'] },
})

/** Folders that a program may write beside its workspace. */
const writableFolders = ['/tmp', '/var/tmp', '/run', '/root']

export const jobContainer = (spec: SandboxSpec, image: string) => {
  const { vcpu, memoryBytes } = spec.limits
  const resources = { cpu: String(vcpu), memory: String(memoryBytes - collectorMemoryBytes) }
  return {
    name: 'job',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['/.sandbox/init'],
    workingDir: '/',
    // The kubelet copies this file into the status of the pod, so a job could leave values of secrets in etcd.
    terminationMessagePath: closedMessagePath,
    terminationMessagePolicy: 'File',
    resources: { requests: resources, limits: resources },
    securityContext: securityOf(spec),
    volumeMounts: [
      { name: 'workspace', mountPath: '/workspace' },
      ...writableFolders.map((folder) => ({
        name: 'scratch',
        mountPath: folder,
        subPath: folder.slice(1).replaceAll('/', '-'),
      })),
    ],
  }
}

export const collectorContainer = (
  spec: SandboxSpec,
  { collectorImage, gateway, canaryPort, boundary }: PodSettings,
) => {
  const { address, port, authority } = gateway
  const env = {
    SANDBOX_ID: spec.id,
    SANDBOX_GATEWAY: `${address} ${port}`,
    SANDBOX_CANARY: `${address} ${canaryPort}`,
    SANDBOX_GATEWAY_AUTHORITY: authority,
    SANDBOX_BOUNDARY: boundary.kind,
  }
  const memory = String(collectorMemoryBytes)
  return {
    name: 'collector',
    image: collectorImage,
    imagePullPolicy: 'IfNotPresent',
    command: ['/.sandbox/collector'],
    workingDir: '/',
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    resources: { requests: { cpu: '50m', memory }, limits: { cpu: '500m', memory } },
    securityContext: securityOf(spec),
    volumeMounts: [
      { name: 'workspace', mountPath: '/workspace', readOnly: true },
      { name: 'record', mountPath: '/record' },
      { name: 'token', mountPath: '/token', readOnly: true },
    ],
  }
}

export const podVolumes = ({ limits }: SandboxSpec) => [
  // A tmpfs of this size: a full one is an error of the program, where a folder on the disk evicts the pod.
  { name: 'workspace', emptyDir: { medium: 'Memory', sizeLimit: String(limits.workspaceBytes) } },
  { name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } },
  { name: 'record', emptyDir: { sizeLimit: '160Mi' } },
  {
    name: 'token',
    projected: {
      sources: [
        {
          serviceAccountToken: { audience: runnerAudience, expirationSeconds: tokenSeconds, path: 'token' },
        },
      ],
    },
  },
]
