import type { Executor } from '../../agent/port/executor.ts'
import type { SandboxRuntime, SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { newId } from '../../server/base/ids.ts'

/** An executor under test, and the commands that the suite runs in its sandboxes. */
export interface ExecutorUnderTest {
  executor: Executor
  runtime: SandboxRuntime
  /** An installed image. */
  digest: string
  programs: Programs
}

interface Programs {
  /** Writes its input to its log and to /workspace/output.json, and exits with 3. */
  echo: string[]
  /** Writes `begun` to its log, and runs until it is stopped. */
  endless: string[]
  /** Leaves `one` in /workspace/artifacts/a/b, `kept` in /workspace/session/old and `new` in /workspace/session/new. */
  leave: string[]
  /** Fills its workspace, and exits with 9. */
  fill: string[]
  /** Uses a processor for some milliseconds. */
  compute: string[]
}

const MiB = 1024 * 1024

/** A small job for that executor, which runs one of the programs. */
export const smallJob = (
  { runtime, digest, programs }: Pick<ExecutorUnderTest, 'runtime' | 'digest' | 'programs'>,
  program: keyof Programs,
): SandboxSpec => ({
  id: newId('run'),
  rootfs: { kind: 'image', digest },
  argv: programs[program],
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

/** The same, and what `leave` leaves is collected. */
export function leavingJob(underTest: Parameters<typeof smallJob>[0]): SandboxSpec {
  const job = smallJob(underTest, 'leave')
  const limits = { maxFiles: 5, maxBytes: 1000, maxPathBytes: 100, maxNameBytes: 50 }
  return {
    ...job,
    collect: {
      ...job.collect,
      tree: { path: '/workspace/artifacts', ...limits },
      folder: { path: '/workspace/session', ...limits },
    },
  }
}
