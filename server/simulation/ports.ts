import { Readable } from 'node:stream'
import { type Executor, ExecutorUnavailable, type SandboxExit } from '../executor/port.ts'
import type { RunJob } from '../runs/job-store.ts'
import type { QueueNews, RunQueue } from '../runs/run-queue.ts'
import type { ObjectStorage } from '../storage/port.ts'
import type { ModelledHost } from './modelled-host.ts'
import type { Rules } from './rules.ts'
import type { SimulatedRuns } from './simulated-runs.ts'
import { type Actor, agentTime, type Timeline } from './timeline.ts'

/* The worker's ports as one process sees them: every call takes its time, and may be lost on either way. */

const databaseAway = () => new Error('the database did not answer')
const nobodyAsks = () => Promise.reject(new Error('nobody asks'))
const hostAway = () => new ExecutorUnavailable('the host did not answer')

/** Everybody who listens for news of the queue, by the process that does. */
export type Listeners = Map<Actor, QueueNews>

interface QueueParts {
  runs: SimulatedRuns
  timeline: Timeline
  listeners: Listeners
  rules: Pick<Rules, 'takesBack' | 'countsKept'>
}

export function queueOf(actor: Actor, { runs, timeline, listeners, rules }: QueueParts): RunQueue {
  let hasStarted = false
  const ask = <T>(statement: () => T | Promise<T>) => timeline.call<T>(actor, statement, databaseAway)
  return {
    claimNext: ({ worker }) => ask(() => runs.claimNext(worker)),
    takeOver: (worker, owned, known = []) =>
      ask(() => {
        if (owned === 'own' && hasStarted && rules.takesBack === 'at its start') return []
        hasStarted = true
        return runs.takeOver(worker, owned, known)
      }),
    cancelRequestedAmong: (ids) => ask(() => runs.cancelRequestedAmong(ids)),
    finishedAmong: (sandboxIds) => ask(() => runs.finishedAmong(sandboxIds)),
    findJob: (run) =>
      ask(() => {
        const row = runs.rows.get(run.id)
        return row?.fence === run.fence ? jobOf(row.timeoutSeconds, row.claimedMs) : undefined
      }),
    markRunning: (run) => ask(() => runs.markRunning(run)),
    requeue: (run) => ask(() => runs.requeue(run)),
    finish: async (run, end) => {
      const ended = await ask(() => runs.finish(run, end))
      if (ended && rules.countsKept === 'afterwards') await ask(() => runs.countKept(run))
      return ended
    },
    roomOf: nobodyAsks,
    writeLiveLog: nobodyAsks,
    listen: (news) => {
      listeners.set(actor, news)
      news.look()
      return { stop: async () => void listeners.delete(actor) }
    },
  }
}

/** What nothing in the simulation depends on: it only has to be runnable. */
const jobOf = (timeoutSeconds: number, claimedMs: number): RunJob => ({
  claimed_at: agentTime(claimedMs),
  resource_profile: 'standard',
  timeout_seconds: timeoutSeconds,
  input: Buffer.from('null'),
  startup_script: '',
  work_script: '',
  work_command: null,
  ordinary_env: null,
  secret_slot_declarations: null,
  content_state: 'active',
  version_state: 'published',
  task_state: 'active',
  task_security_state: 'clear',
  environment_security_state: 'clear',
  environment_version_id: 'ev_0',
  isolation: 'standard',
  runtime_egress_enabled: false,
  environment_allow_list: null,
  task_allow_list: null,
  layer_digest: 'sha256:0',
  promoted_digest: 'sha256:0',
  bundle: null,
  lost_authority: null,
  has_room: true,
})

export function hostOf(
  actor: Actor,
  { host, runs, timeline }: { host: ModelledHost; runs: SimulatedRuns; timeline: Timeline },
): Executor {
  const ask = <T>(request: () => T | Promise<T>) =>
    timeline.call<T>(
      actor,
      () => {
        if (host.isAway) throw hostAway()
        return request()
      },
      hostAway,
    )
  const programOf = (sandboxId: string) =>
    runs.rows.get(sandboxId.slice(0, sandboxId.lastIndexOf('_')))?.program
  return {
    start: (spec) => ask(() => host.start(spec, programOf(spec.id) ?? { seconds: 0, exitCode: 0 })),
    wait: async (id) => {
      // One request that stays open: it is answered at once when there is a record, and cut when the agent goes.
      const { exit } = await ask(() => {
        const record = Promise.withResolvers<SandboxExit>()
        host.whenEnded(id, { tell: record.resolve, cut: () => record.reject(hostAway()) })
        // Whoever asked may be dead by then.
        record.promise.catch(() => undefined)
        return { exit: record.promise }
      })
      const record = await exit
      return timeline.call(actor, () => record, hostAway)
    },
    stop: (id) => ask(() => host.stop(id)),
    forbid: (id) => ask(() => host.forbid(id)),
    log: () => ask(() => Readable.from([])),
    logSince: nobodyAsks,
    file: (id) => ask(() => Readable.from([Buffer.from(host.output(id))])),
    tree: () => ask(() => Readable.from([])),
    remove: (id) => ask(() => host.remove(id)),
    list: () => ask(() => host.list()),
    hasImage: () => ask(() => true),
    installImage: () => ask(() => undefined),
    removeImage: () => ask(() => undefined),
    runner: nobodyAsks,
    builder: nobodyAsks,
    capacity: nobodyAsks,
  }
}

/** Keeps nothing: that an object is there is what its row says. */
export function storageOf(actor: Actor, timeline: Timeline): ObjectStorage {
  return {
    put: () =>
      timeline.call(
        actor,
        () => ({ byteSize: 0, digest: 'sha256:0' }),
        () => new Error('disk'),
      ),
    putAll: nobodyAsks,
    get: nobodyAsks,
    opened: nobodyAsks,
    read: nobodyAsks,
    size: nobodyAsks,
    move: nobodyAsks,
    copy: nobodyAsks,
    delete: nobodyAsks,
    hasSpace: nobodyAsks,
  }
}
