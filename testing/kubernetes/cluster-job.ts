import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'

const mib = 1024 ** 2

/** A small job for an executor of pods, which collects a file, a tree and a folder. */
export function clusterJob(id: string): SandboxSpec {
  const limits = { maxFiles: 5, maxBytes: 1000, maxPathBytes: 100, maxNameBytes: 50 }
  return {
    id,
    rootfs: { kind: 'image', digest: `sha256:${'1'.repeat(64)}` },
    argv: ['echo'],
    env: { NAME: 'value' },
    user: { uid: 1000, gid: 1000 },
    hostname: 'job',
    runtime: 'crun',
    confinement: 'job',
    network: 'none',
    limits: {
      timeoutMs: 20_000,
      memoryBytes: 64 * mib,
      workspaceBytes: 8 * mib,
      workspaceKind: 'memory',
      workspaceInodes: 256,
      vcpu: 1,
      pids: 16,
      openFiles: 64,
      logBytes: 4096,
    },
    collect: {
      files: [{ name: 'output', path: '/workspace/output.json', maxBytes: 100 }],
      tree: { path: '/workspace/artifacts', ...limits },
      folder: { path: '/workspace/session', ...limits },
    },
  }
}
