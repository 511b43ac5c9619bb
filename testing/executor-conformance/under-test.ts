import type { Executor } from '../../agent/port/executor.ts'
import type { SandboxRuntime, SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { newId } from '../../server/base/ids.ts'

/** An executor under test, and the commands that the suite runs in its sandboxes. */
export interface ExecutorUnderTest {
  executor: Executor
  runtime: SandboxRuntime
  /** An installed image. */
  digest: string
  /** Writes its input to its log and to /workspace/output.json, and exits with 3. */
  echo: string[]
  /** Runs until it is stopped. */
  endless: string[]
}

const MiB = 1024 * 1024

/** A small job for that executor. */
export const smallJob = (
  { runtime, digest }: Pick<ExecutorUnderTest, 'runtime' | 'digest'>,
  argv: string[],
): SandboxSpec => ({
  id: newId('run'),
  rootfs: { kind: 'image', digest },
  argv,
  env: {},
  user: { uid: 0, gid: 0 },
  hostname: 'job',
  runtime,
  confinement: 'job',
  network: 'none',
  limits: {
    timeoutMs: 20_000,
    memoryBytes: 64 * MiB,
    workspaceBytes: 8 * MiB,
    workspaceKind: 'memory',
    workspaceInodes: 256,
    vcpu: 1,
    pids: 16,
    openFiles: 64,
    logBytes: 4096,
  },
  collect: { files: [{ name: 'output', path: '/workspace/output.json', maxBytes: 100 }] },
})
