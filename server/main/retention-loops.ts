import { sweepPulledImages } from '../builds/bases/sweep-pulled-images.ts'
import { sweepBuildCache } from '../builds/cache/sweep-build-cache.ts'
import { rematchFindings } from '../builds/rematch-findings.ts'
import { sweepBuildLogs } from '../builds/sweep-build-logs.ts'
import { type ImageSweepDeps, sweepImages } from '../builds/sweep-images.ts'
import { sweepReports } from '../builds/sweep-reports.ts'
import { sweepContexts } from '../environments/sweep-contexts.ts'
import { sweepFindings } from '../findings/sweep-findings.ts'
import { dropLiveLogs } from '../live-logs/live-log-store.ts'
import { dropFullBuckets } from '../platform/login-attempt-store.ts'
import { type Loop, startLoop } from '../queue/loop.ts'
import { forgetOldFailures } from '../queue/removal-failures.ts'
import { foldRunCounts } from '../runs/fold-counts.ts'
import { sweepIdempotencyKeys, sweepRunContent } from '../runs/run-retention.ts'
import { foldKept } from '../settings/storage-quota.ts'

const minuteMs = 60_000

/** What removes things after the time that their company, or the service itself, keeps them, and what keeps totals. */
export function startRetentionLoops(deps: ImageSweepDeps): Loop {
  const { log } = deps
  const loops = [
    // With the bound of their rounds these outrun what a machine can take in: 200 runs and 1600 keys a second.
    startLoop({ name: 'run content', everyMs: 10_000, runOnce: () => sweepRunContent(deps), log }),
    startLoop({
      name: 'idempotency keys',
      everyMs: minuteMs,
      runOnce: () => sweepIdempotencyKeys(deps),
      log,
    }),
    startLoop({ name: 'run counts', everyMs: 10_000, runOnce: () => foldRunCounts(deps), log }),
    // Each submission adds up what is not folded yet.
    startLoop({ name: 'kept bytes', everyMs: 2000, runOnce: () => foldKept(deps), log }),
    startLoop({
      name: 'removal failures',
      everyMs: 60 * minuteMs,
      runOnce: () => forgetOldFailures(deps.db, deps.clock.now()),
      log,
    }),
    startLoop({ name: 'live logs', everyMs: minuteMs, runOnce: () => dropLiveLogs(deps.db), log }),
    startLoop({ name: 'login attempts', everyMs: minuteMs, runOnce: () => dropFullBuckets(deps.db), log }),
    startLoop({ name: 'findings', everyMs: minuteMs, runOnce: () => sweepFindings(deps), log }),
    startLoop({ name: 'vulnerabilities', everyMs: minuteMs, runOnce: () => rematchFindings(deps), log }),
    startLoop({ name: 'scan reports', everyMs: 10 * minuteMs, runOnce: () => sweepReports(deps), log }),
    startLoop({ name: 'archives', everyMs: 10 * minuteMs, runOnce: () => sweepContexts(deps), log }),
    startLoop({ name: 'build logs', everyMs: 10 * minuteMs, runOnce: () => sweepBuildLogs(deps), log }),
    startLoop({ name: 'build cache', everyMs: 10 * minuteMs, runOnce: () => sweepBuildCache(deps), log }),
    startLoop({ name: 'base images', everyMs: 10 * minuteMs, runOnce: () => sweepPulledImages(deps), log }),
    startLoop({ name: 'images', everyMs: 10 * minuteMs, runOnce: () => sweepImages(deps), log }),
  ]
  return { stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))) }
}
