import type { Build } from '../request/build.ts'

/**
 * Offers this sandbox's log to followers of the build, until the attempt ends in this worker, so that they also get the last
 * lines. `ahead` is the number of bytes of the build's log before it.
 */
export function offerLog(
  { request, tools, signal }: Pick<Build, 'request' | 'tools' | 'signal'>,
  { sandboxId, ahead }: { sandboxId: string; ahead?: number },
): void {
  const withdraw = tools.liveLogs.register(request.attemptId, sandboxId, ahead)
  signal.addEventListener('abort', withdraw, { once: true })
}
