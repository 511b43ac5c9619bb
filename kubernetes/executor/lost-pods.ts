import type { Clock } from '../../server/base/clock.ts'
import { podsOf } from '../api/paths.ts'
import type { PodSessions } from '../gateway/pod-session.ts'
import { ageMs, isEnding, lossOf } from '../pod/pod-state.ts'
import { podName } from '../pod/run-pod.ts'
import { lostExit } from '../records/pod-exit.ts'
import type { SandboxRecords } from '../records/sandbox-records.ts'
import type { PodApi } from './pod-api.ts'
import type { PodWatch } from './pod-watch.ts'

export interface LostPodsDeps {
  client: PodApi
  namespace: string
  records: SandboxRecords
  sessions: PodSessions
  watch: PodWatch
  clock: Clock
}

/** A collector asks for its orders each 20 seconds. */
const silenceMs = 60_000
/** For a start whose pod is there before its record is seen, and an end whose worker is at work on it. */
const residueMs = 120_000

/**
 * One look at everything that nobody waits for. A sandbox of which nothing is heard, and whose pod is gone or goes, ends as `lost`: a later
 * report of it is refused by its record. A pod that no live record has is deleted. Returns the numbers of both. Nothing is done before every
 * pod was listed.
 */
export async function sweepPods(deps: LostPodsDeps): Promise<{ lost: number; deleted: number }> {
  const { client, namespace, records, watch, clock } = deps
  if (!watch.isWhole) return { lost: 0, deleted: 0 }
  const all = await records.list()
  let lost = 0
  for (const { id, state } of all) if (state === 'redeemed' && (await endIfLost(deps, id))) lost += 1
  const live = new Set(all.filter(({ state }) => state !== 'exited').map(({ id }) => podName(id)))
  let deleted = 0
  for (const pod of watch.all()) {
    if (live.has(pod.metadata.name) || ageMs(pod, clock.now()) < residueMs) continue
    if (await client.delete(podsOf(namespace), pod.metadata, 0)) deleted += 1
  }
  return { lost, deleted }
}

async function endIfLost({ records, sessions, watch, clock }: LostPodsDeps, id: string): Promise<boolean> {
  const pod = watch.find(podName(id))
  if (pod && !isEnding(pod)) return false
  // A worker that has just started has heard of nobody: a session of its own begins now.
  if (clock.now().getTime() - sessions.of(id).heardAtMs < silenceMs) return false
  const record = await records.find(id)
  if (!record?.spec || !(await records.exit(id, lostExit(record.spec, lossOf(pod), clock.now()))))
    return false
  sessions.end(id)
  return true
}
