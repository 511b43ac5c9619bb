import { totalmem } from 'node:os'
import { join } from 'node:path'
import type { ServiceConfig } from './service-settings.ts'
import { absolutePath, flag, integer, oneOf, type Settings, size } from './setting.ts'

/** The host agent, and what its sandboxes may use. */
export interface SandboxConfig {
  agentSocket: string
  /** Runtimes that jobs may use, weakest first. The first is used unless an owner requires a stronger one. */
  runtimes: ('crun' | 'launcher' | 'runsc')[]
  /** Sandboxes that the host agent creates in advance; absent: by the machine's memory. */
  warmSandboxes: number | undefined
  /** Memory of all sandboxes together, in MiB; the service has the rest of the machine. */
  sandboxMemoryMib: number
  /** Whether runs may have network access at all. */
  runtimeEgress: boolean
  /** Bytes that one run may send. */
  runEgressCapBytes: number
  /** How long the processes of a run may go on after they were asked to end. */
  stopGraceSeconds: number
  /** Whether installing a new runner approves it, or the operator must. */
  runnerApproval: 'declared' | 'reviewed'
}

const runtimeSets: SandboxConfig['runtimes'][] = [
  ['crun'],
  ['crun', 'runsc'],
  ['launcher'],
  ['launcher', 'runsc'],
  ['runsc'],
]

const gibOfMib = 1024

/** Memory of the machine, or of the container around the service, without the share of the service and its database. */
function sandboxMemoryDefaultMib(): number {
  const limit = process.constrainedMemory()
  const mib = Math.floor(Math.min(totalmem(), limit > 0 ? limit : Number.POSITIVE_INFINITY) / 2 ** 20)
  const ownMib = Math.min(mib / 2, Math.max(gibOfMib, Math.min(mib / 8, 4 * gibOfMib)))
  return Math.max(256, Math.floor(mib - ownMib))
}

export const sandboxSettings: Pick<Settings<SandboxConfig & ServiceConfig>, keyof SandboxConfig> = {
  agentSocket: {
    env: 'SANDBOX_AGENT_SOCKET',
    description: 'unix socket of the host agent; default DATA/run/agent.sock',
    fallback: (read) => join(read.dataDir ?? '/', 'run/agent.sock'),
    ...absolutePath,
  },
  runtimes: {
    env: 'SANDBOX_RUNTIME',
    description:
      'crun or launcher (the host’s kernel), either with ,runsc (gVisor for versions whose owner asks), or runsc (gVisor for every job)',
    fallback: () => ['launcher'],
    expected: 'crun or launcher, alone or with ,runsc, or runsc',
    parse: (raw) => runtimeSets.find((set) => set.join() === raw),
  },
  warmSandboxes: {
    env: 'SANDBOX_WARM_SANDBOXES',
    description: 'sandboxes created in advance; 0 for none; default one per GiB of memory, at most 8',
    fallback: () => undefined,
    ...integer(0, 4096),
  },
  sandboxMemoryMib: {
    env: 'SANDBOX_MEMORY_MIB',
    description:
      'memory of all sandboxes together, in MiB; default the machine without an eighth for the service',
    fallback: sandboxMemoryDefaultMib,
    ...size(256, 2 ** 30, 1024 ** 2),
  },
  runtimeEgress: {
    env: 'SANDBOX_RUNTIME_EGRESS',
    description: 'whether runs may reach public addresses',
    fallback: () => true,
    ...flag,
  },
  runEgressCapBytes: {
    env: 'SANDBOX_RUN_EGRESS_CAP_BYTES',
    description: 'bytes that one run may send',
    fallback: () => 1024 ** 3,
    ...size(0, 2 ** 50),
  },
  stopGraceSeconds: {
    env: 'SANDBOX_STOP_GRACE_SECONDS',
    description:
      'how long the processes of a run may go on after SIGTERM, at its deadline or a cancel; 0: they are killed at once',
    fallback: () => 10,
    ...integer(0, 60),
  },
  runnerApproval: {
    env: 'SANDBOX_RUNNER_APPROVAL',
    description: 'declared: an installed runner is approved; reviewed: the operator approves each',
    fallback: () => 'declared',
    ...oneOf('declared', 'reviewed'),
  },
}
