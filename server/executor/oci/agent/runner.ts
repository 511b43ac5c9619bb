import { sha256Of } from '../../../base/sha256.ts'
import type { Runner, SandboxRuntime, SandboxSpec } from '../../port.ts'
import { ociSpec } from '../spec.ts'

/** Revision of what a program finds in a sandbox: paths, environment, how it is started and what is collected. */
const abiRevision = 1

/** A job that leaves open all that a job may choose: what is left is the policy. */
const anyJob: Omit<SandboxSpec, 'runtime'> = {
  id: 'any',
  rootfs: { kind: 'image', digest: `sha256:${'0'.repeat(64)}` },
  argv: [],
  env: {},
  user: { uid: 0, gid: 0 },
  hostname: 'job',
  confinement: 'job',
  network: 'none',
  limits: {
    timeoutMs: 0,
    memoryBytes: 0,
    workspaceBytes: 0,
    workspaceKind: 'memory',
    workspaceInodes: 0,
    vcpu: 0,
    pids: 0,
    openFiles: 0,
    logBytes: 0,
  },
  collect: { files: [] },
}

/** What an agent says of itself that lets jobs choose among `runtimes`. */
export function runnerOn(layerDigest: string, runtimes: readonly SandboxRuntime[]): Runner {
  const place = { idBase: 0, arch: process.arch, confinement: 'job' } as const
  const policy = JSON.stringify(runtimes.map((runtime) => ociSpec({ ...anyJob, runtime }, place)))
  const policyDigest = sha256Of(policy)
  return { layerDigest, abiRevision, policyDigest }
}
