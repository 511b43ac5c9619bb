import { ExecutorRefused } from '../../../agent/port/errors.ts'
import { neverStarted } from '../../../agent/port/refusal-causes.ts'
import { sandboxOwner } from '../../../agent/port/sandbox-owner.ts'
import type { SandboxPort } from '../../../agent/port/sandboxes.ts'
import type { Build } from '../request/build.ts'

/** Starts a sandbox of a build. If it never started, the caller finds that in its exit record, as any other end. */
export async function startSandbox(
  {
    request,
    tools,
  }: { request: Pick<Build['request'], 'companyId'>; tools: Pick<Build['tools'], 'executor'> },
  ...[spec, input]: Parameters<SandboxPort['start']>
): Promise<void> {
  try {
    await tools.executor.start({ ...spec, owner: sandboxOwner(request.companyId, 'builds') }, input)
  } catch (error) {
    if (!(error instanceof ExecutorRefused && error.slug === neverStarted)) throw error
  }
}
