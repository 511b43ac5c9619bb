import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { leavingJob } from '../executor-conformance/under-test.ts'
import { conformanceWords } from '../fake-executor/conformance-programs.ts'

/** A small job for an executor of pods, which collects a file, a tree and a folder. */
export const clusterJob = (id: string): SandboxSpec => ({
  ...leavingJob({ runtime: 'crun', digest: `sha256:${'1'.repeat(64)}`, programs: conformanceWords }),
  id,
  argv: ['echo'],
  env: { NAME: 'value' },
  user: { uid: 1000, gid: 1000 },
})
