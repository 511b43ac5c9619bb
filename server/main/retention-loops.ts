import { type ImageSweepDeps, sweepImages } from '../builds/sweep-images.ts'
import { type Loop, startLoop } from '../queue/loop.ts'
import { sweepIdempotencyKeys, sweepRunContent } from '../runs/run-retention.ts'

const minuteMs = 60_000

/** What removes things after the time that their company, or the service itself, keeps them. */
export function startRetentionLoops(deps: ImageSweepDeps): Loop {
  const { log } = deps
  const loops = [
    startLoop({ name: 'run content', everyMs: minuteMs, runOnce: () => sweepRunContent(deps), log }),
    startLoop({
      name: 'idempotency keys',
      everyMs: 10 * minuteMs,
      runOnce: () => sweepIdempotencyKeys(deps),
      log,
    }),
    startLoop({ name: 'images', everyMs: 60 * minuteMs, runOnce: () => sweepImages(deps), log }),
  ]
  return { stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))) }
}
