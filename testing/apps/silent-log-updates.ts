import { sleep } from '../../server/base/clock.ts'
import type { LogUpdates } from '../../server/live-logs/log-updates.ts'

/** Without notifications, followers poll at their slow interval. */
export const silentLogUpdates: LogUpdates = {
  of: () => ({ next: (withinMs) => sleep(withinMs), close: () => undefined }),
}
