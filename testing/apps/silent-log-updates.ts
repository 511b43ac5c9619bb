import { sleep } from '../../server/base/clock.ts'
import { noChanges } from '../../server/live-logs/company-changes.ts'
import type { LogUpdates } from '../../server/live-logs/log-updates.ts'

/** Without notifications, followers poll at their slow interval. */
export const silentLogUpdates: LogUpdates = {
  changesOf: () => ({
    next: (withinMs) => sleep(withinMs),
    take: noChanges,
    close: () => undefined,
  }),
  of: () => ({ next: (withinMs) => sleep(withinMs), close: () => undefined }),
}
