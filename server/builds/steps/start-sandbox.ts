import { type Executor, ExecutorRefused, unbegun } from '../../executor/port.ts'

/** Starts a sandbox of a build. How one ended that never began is told by its exit record, as any other end is. */
export async function startSandbox(
  executor: Executor,
  ...sandbox: Parameters<Executor['start']>
): Promise<void> {
  try {
    await executor.start(...sandbox)
  } catch (error) {
    if (!(error instanceof ExecutorRefused && error.slug === unbegun)) throw error
  }
}
