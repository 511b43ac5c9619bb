import { setTimeout as delay } from 'node:timers/promises'
import { ExecutorRefused, ExecutorUnavailable } from '../../agent/port/errors.ts'
import { noCapacity } from '../../agent/port/refusal-causes.ts'
import type { Clock } from '../../server/base/clock.ts'
import { KubernetesRefused } from '../api/failures.ts'
import { podsOf } from '../api/paths.ts'
import { podOutcome } from '../check/pod-outcome.ts'
import { isEnding } from '../pod/pod-state.ts'
import type { PodApi } from './pod-api.ts'
import type { PodWatch } from './pod-watch.ts'

export interface StartDeps {
  client: PodApi
  namespace: string
  watch: PodWatch
  clock: Clock
}

const tries = 50
const againMs = 100

/**
 * Creates the pod, or finds it where an answer was lost. A pod of this name that is over has redeemed nothing, since nobody would start
 * its id then: it goes first. Returns its uid.
 */
export async function ensurePod(
  { client, namespace }: StartDeps,
  manifest: { metadata: { name: string } },
): Promise<string> {
  const pods = podsOf(namespace)
  const { name } = manifest.metadata
  for (let attempt = 0; attempt < tries; attempt += 1) {
    try {
      return (await client.create(pods, manifest)).metadata.uid
    } catch (error) {
      if (!(error instanceof KubernetesRefused) || error.reason !== 'AlreadyExists')
        throw refusedCreate(error)
    }
    const there = await client.get(pods, name).catch(undefinedIfGone)
    if (there && !isEnding(there)) return there.metadata.uid
    if (there) await client.delete(pods, there.metadata, 0)
    await delay(againMs)
  }
  throw new ExecutorUnavailable(`the former pod ${name} does not go`)
}

function undefinedIfGone(error: unknown): undefined {
  if (error instanceof KubernetesRefused && error.status === 404) return undefined
  throw error
}

/** A refusal says certainly that there is no pod; anything else leaves it open. */
function refusedCreate(error: unknown): unknown {
  if (!(error instanceof KubernetesRefused)) return error
  if (error.status === 403 && error.message.includes('exceeded quota'))
    return new ExecutorRefused(noCapacity, 'the quota of the namespace is used up')
  return error.status === 400 || error.status === 422
    ? new ExecutorRefused('spec_invalid', `the API server refuses the pod: ${error.message}`)
    : new ExecutorRefused('host', `the API server refuses to create a pod: ${error.message}`)
}

/** How long each may last. */
const patienceMs = { unschedulable: 30_000, image_unavailable: 120_000, pod_refused: 30_000 } as const
/** For a pod that has nothing wrong and asks for nothing. */
const silenceMs = 180_000
const lookEveryMs = 1000

/** Rejects when the pod will not start. Ends with the signal. */
export async function watchStart(
  { watch, clock }: StartDeps,
  { name, uid, signal }: { name: string; uid: string; signal: AbortSignal },
): Promise<void> {
  const startedMs = clock.now().getTime()
  let stuck: { slug: keyof typeof patienceMs; sinceMs: number } | undefined
  let wasSeen = false
  while (!signal.aborted) {
    const pod = watch.find(name)
    const isThere = pod?.metadata.uid === uid
    if (wasSeen && watch.isWhole && (!pod || !isThere || isEnding(pod)))
      throw new ExecutorUnavailable(`the pod ${name} ended before its program started`)
    wasSeen ||= isThere
    const nowMs = clock.now().getTime()
    const outcome = pod && isThere ? podOutcome(pod) : undefined
    if (outcome?.kind !== 'stuck') stuck = undefined
    else if (stuck?.slug !== outcome.slug) stuck = { slug: outcome.slug, sinceMs: nowMs }
    if (stuck && nowMs - stuck.sinceMs >= patienceMs[stuck.slug]) throw stuckStart(stuck.slug)
    if (nowMs - startedMs >= silenceMs) throw new ExecutorUnavailable(`the pod ${name} asks for nothing`)
    await watch.changes.next(lookEveryMs, signal)
  }
}

const stuckStart = (slug: keyof typeof patienceMs): ExecutorRefused => {
  if (slug === 'unschedulable') return new ExecutorRefused(noCapacity, 'no node has room for the pod')
  return slug === 'image_unavailable'
    ? new ExecutorRefused('image_missing', 'a node cannot pull the image of the pod')
    : new ExecutorRefused('host', 'a node cannot start the pod')
}
