import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import type { KubernetesObject } from '../api/objects.ts'

const objectIn = (value: unknown): Record<string, unknown> => (isJsonObject(value) ? value : {})
const objectsIn = (value: unknown): Record<string, unknown>[] =>
  (Array.isArray(value) ? value : []).map(objectIn)

/** Whether no process of the pod goes on, as the cluster knows it, or none will for long. It proves nothing about a start. */
export const isEnding = (pod: KubernetesObject): boolean => {
  const { phase } = objectIn(pod.status)
  return pod.metadata.deletionTimestamp !== undefined || phase === 'Succeeded' || phase === 'Failed'
}

/** Whether the container of the job has ended. */
export const hasJobEnded = (pod: KubernetesObject): boolean => {
  const job = objectsIn(objectIn(pod.status).containerStatuses).find(({ name }) => name === 'job')
  return objectIn(job?.state).terminated !== undefined
}

/** Why nothing is heard of a pod any more, as a slug. */
export function lossOf(pod: KubernetesObject | undefined): 'evicted' | 'preempted' | 'node_lost' {
  const { reason, conditions } = objectIn(pod?.status)
  const disruption = objectsIn(conditions).find(({ type }) => type === 'DisruptionTarget')?.reason
  if (disruption === 'PreemptionByScheduler' || reason === 'Preempting') return 'preempted'
  return reason === 'Evicted' || disruption === 'TerminationByKubelet' ? 'evicted' : 'node_lost'
}

/** Age of the pod; 0 if it has no time. */
export const ageMs = ({ metadata }: KubernetesObject, now: Date): number => {
  const madeAt = Date.parse(String(metadata.creationTimestamp))
  return Number.isNaN(madeAt) ? 0 : now.getTime() - madeAt
}
