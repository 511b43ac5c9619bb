import {
  type Isolation,
  isolations,
} from '@sandbox-jobs/contract/resources/environments/version-isolation.ts'
import type { SandboxRuntime } from '../../../agent/port/sandbox-spec.ts'

/** The executor runtime that implements an isolation level. */
export const runtimeOf: Record<Isolation, SandboxRuntime> = { standard: 'crun', gvisor: 'runsc' }

/** Isolation levels of a deployment with these runtimes, weakest first. */
export const offeredIsolations = (runtimes: readonly SandboxRuntime[]): Isolation[] =>
  isolations.filter((isolation) => runtimes.includes(runtimeOf[isolation]))
