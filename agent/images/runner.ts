import { sha256Of } from '../../server/base/sha256.ts'
import { ociSpec } from '../bundle/spec.ts'
import type { ShownGroups } from '../host/cgroups.ts'
import type { Runner } from '../port/platform.ts'
import type { SandboxRuntime, SandboxSpec } from '../port/sandbox-spec.ts'

/** Revision of the interface between a program and its sandbox: paths, environment, start command, collected files. */
const abiRevision = 1

/** A job with placeholders for everything that a job may choose: what remains is the policy. */
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

/** The policy is that of hosts with either version of control groups, so that images move between them. */
const anyGroups: ShownGroups[] = [{ version: 1, folders: [] }, { version: 2 }]

/** The runner description of an agent that offers `runtimes`. */
export function runnerOn(layerDigest: string, runtimes: readonly SandboxRuntime[]): Runner {
  const options = { idBase: 0, arch: process.arch, confinement: 'job' } as const
  const policy = JSON.stringify(
    runtimes.flatMap((runtime) =>
      anyGroups.map((groups) => ociSpec({ ...anyJob, runtime }, { ...options, groups })),
    ),
  )
  const policyDigest = sha256Of(policy)
  return { layerDigest, abiRevision, policyDigest }
}
