import type { Build } from './steps/step.ts'

/**
 * Has who follows the build read this sandbox's log from now on, until the attempt is done with here: so nothing is missed
 * of what was printed last. `ahead` is how much of the build's log came before.
 */
export function offerLog(
  { order, tools, signal }: Pick<Build, 'order' | 'tools' | 'signal'>,
  { sandboxId, ahead }: { sandboxId: string; ahead?: number },
): void {
  const withdraw = tools.liveLogs.offer(order.attemptId, sandboxId, ahead)
  signal.addEventListener('abort', withdraw, { once: true })
}
