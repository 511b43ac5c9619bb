import { type Executor, ExecutorRefused, unbegun } from '../../executor/port.ts'
import { sandboxOwner } from '../../executor/sandbox-owner.ts'
import type { Build } from './step.ts'

/** Starts a sandbox of a build. How one ended that never began is told by its exit record, as any other end is. */
export async function startSandbox(
  { order, tools }: { order: Pick<Build['order'], 'companyId'>; tools: Pick<Build['tools'], 'executor'> },
  ...[spec, stdin, masked]: Parameters<Executor['start']>
): Promise<void> {
  try {
    await tools.executor.start({ ...spec, owner: sandboxOwner(order.companyId) }, stdin, masked)
  } catch (error) {
    if (!(error instanceof ExecutorRefused && error.slug === unbegun)) throw error
  }
}
