import { type Isolation, isolations } from '@sandbox-jobs/contract/resources/version-isolation.ts'
import type { SandboxRuntime } from '../executor/port.ts'

/** The runtime of the executor that gives an isolation. */
export const runtimeOf: Record<Isolation, SandboxRuntime> = { standard: 'crun', gvisor: 'runsc' }

/** What a deployment with these runtimes offers, weakest first. */
export const offeredIsolations = (runtimes: readonly SandboxRuntime[]): Isolation[] =>
  isolations.filter((isolation) => runtimes.includes(runtimeOf[isolation]))
