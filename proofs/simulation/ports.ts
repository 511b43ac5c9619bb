import { Readable } from 'node:stream'
import { ExecutorUnavailable } from '../../agent/port/errors.ts'
import type { ImagePort } from '../../agent/port/images.ts'
import type { ResultPort } from '../../agent/port/results.ts'
import type { SandboxExit } from '../../agent/port/sandbox-exit.ts'
import type { SandboxPort } from '../../agent/port/sandboxes.ts'
import type { QueueNotifications, RunQueue } from '../../server/runs/drive/run-queue.ts'
import type { RunJob } from '../../server/runs/prepare/job-store.ts'
import type { ObjectStorage } from '../../server/storage/port.ts'
import type { ModelledHost } from './modelled-host.ts'
import type { Rules } from './rules.ts'
import type { SimulatedRuns } from './simulated-runs.ts'
import { type Actor, agentTime, type Timeline } from './timeline.ts'

/* The worker's ports: every call takes time, and its request or response may be lost. */

const notUsed = () => Promise.reject(new Error('not used in the simulation'))
const hostAway = () => new ExecutorUnavailable('the host did not answer')

/** Listeners for notifications of the queue, by process. */
export type Listeners = Map<Actor, QueueNotifications>

interface QueueParts {
  runs: SimulatedRuns
  timeline: Timeline
  listeners: Listeners
  rules: Pick<Rules, 'takesBack' | 'countsKept' | 'settles'>
  worker: string
}

export function queueOf(actor: Actor, { runs, timeline, listeners, rules, worker }: QueueParts): RunQueue {
  let hasStarted = false
  const call = <T>(statement: () => T | Promise<T>) => timeline.callDatabase<T>(actor, statement)
  return {
    claimNext: (options) => call(() => runs.claimNext(options)),
    claimBatch: (options, most) =>
      call(() => runs.claimBatch(options, { most, company: options.companyConcurrency })),
    takeOver: (driver, owned, known = []) =>
      call(() => {
        if (owned === 'own' && hasStarted && rules.takesBack === 'at its start') return []
        hasStarted = true
        return runs.takeOver(driver, owned, known)
      }),
    cancelRequestedAmong: (ids) => call(() => runs.cancelRequestedAmong(ids)),
    finishedAmong: (sandboxIds) => call(() => runs.finishedAmong(sandboxIds)),
    findJob: (run) =>
      call(() => {
        const row = runs.rows.get(run.id)
        return row?.fence === run.fence ? jobOf(row.timeoutSeconds, row.claimedMs) : undefined
      }),
    markRunning: (run) => call(() => runs.markRunning(run)),
    requeue: (run) => call(() => runs.requeue(run)),
    finish: async (run, end) => {
      const ended = await call(() => runs.finish(run, end, worker))
      if (ended && rules.countsKept === 'afterwards') await call(() => runs.countKept(run))
      if (ended && rules.settles === 'afterwards') await call(() => runs.settle(run))
      return ended
    },
    reserveStorage: notUsed,
    writeLiveLog: notUsed,
    listen: (notify) => {
      listeners.set(actor, notify)
      notify.queued()
      return { stop: async () => void listeners.delete(actor) }
    },
  }
}

/** A runnable job; the simulation does not depend on its fields. */
const jobOf = (timeoutSeconds: number, claimedMs: number): RunJob => ({
  claimed_at: agentTime(claimedMs),
  chatroom_id: 'roo_0',
  task_id: 'tsk_0',
  task_version_id: 'tvr_0',
  resource_profile: 'standard',
  timeout_seconds: timeoutSeconds,
  input: Buffer.from('null'),
  startup_script: '',
  work_script: '',
  work_command: null,
  ordinary_env: null,
  secret_slot_declarations: null,
  output_policy: null,
  author: 'usr_0',
  publisher: 'usr_0',
  principal_type: 'user',
  principal_id: 'usr_0',
  submission_source: 'rest',
  door_kind: null,
  content_state: 'active',
  version_state: 'published',
  task_state: 'active',
  task_security_state: 'clear',
  environment_security_state: 'clear',
  environment_version_id: 'ev_0',
  isolation: 'standard',
  reserved_received_bytes: null,
  reserved_sent_bytes: null,
  runtime_egress_enabled: false,
  environment_allow_list: null,
  task_allow_list: null,
  layer_digest: 'sha256:0',
  promoted_digest: 'sha256:0',
  bundle: null,
  lost_authority: null,
  files: [],
  session_id: null,
  session: null,
  has_room: true,
})

export function hostOf(
  actor: Actor,
  { host, runs, timeline }: { host: ModelledHost; runs: SimulatedRuns; timeline: Timeline },
): SandboxPort & ResultPort & ImagePort {
  const call = <T>(request: () => T | Promise<T>) =>
    timeline.call<T>(
      actor,
      () => {
        if (host.isUnreachable) throw hostAway()
        return request()
      },
      hostAway,
    )
  const programOf = (sandboxId: string) =>
    runs.rows.get(sandboxId.slice(0, sandboxId.lastIndexOf('_')))?.program
  return {
    start: async (spec, input) => {
      await input.open()
      return call(() => host.start(spec, programOf(spec.id) ?? { seconds: 0, exitCode: 0 }))
    },
    wait: async (id, signal) => {
      // One request that stays open: resolved with the exit record, and rejected when the agent restarts or the signal fires.
      const { exit } = await call(() => {
        const record = Promise.withResolvers<SandboxExit>()
        host.whenEnded(id, { resolve: record.resolve, reject: () => record.reject(hostAway()) })
        // The requester may be dead by then.
        record.promise.catch(() => undefined)
        signal?.addEventListener('abort', () => record.reject(signal.reason), { once: true })
        return { exit: record.promise }
      })
      signal?.throwIfAborted()
      const record = await exit
      return timeline.call(actor, () => record, hostAway)
    },
    stop: (id) => call(() => host.stop(id)),
    terminate: (id) => call(() => host.stop(id)),
    forbid: (id) => call(() => host.forbid(id)),
    log: () => call(() => Readable.from([])),
    logSince: notUsed,
    file: (id) => call(() => Readable.from([Buffer.from(host.output(id))])),
    tree: () => call(() => Readable.from([])),
    folder: () => call(() => Readable.from([])),
    remove: (id) => call(() => host.remove(id)),
    list: () => call(() => host.list()),
    hasImage: () => call(() => true),
    installImage: () => call(() => undefined),
    removeImage: () => call(() => undefined),
  }
}

/** Stores nothing: the row of an object is enough here. */
export function storageOf(actor: Actor, timeline: Timeline): ObjectStorage {
  return {
    put: () =>
      timeline.call(
        actor,
        () => ({ byteSize: 0, digest: 'sha256:0' }),
        () => new Error('disk'),
      ),
    putAll: notUsed,
    get: notUsed,
    opened: notUsed,
    read: notUsed,
    size: notUsed,
    move: notUsed,
    copy: notUsed,
    delete: notUsed,
    hasSpace: notUsed,
  }
}
