import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import type { KubernetesObject } from '../api/objects.ts'

/** How a pod of two programs ended, or why it does not start. */
export type PodOutcome =
  | { kind: 'ended'; jobExitCode: number; collectorExitCode: number; message: string }
  | { kind: 'stuck'; slug: 'image_unavailable' | 'unschedulable' | 'pod_refused'; reason: string }

/** Reasons for which a container waits, and goes on to wait. */
const imageReasons = /^(ImagePullBackOff|InvalidImageName|ImageInspectError|ErrImageNeverPull)$/
const containerReasons = /^(CreateContainer(Config)?Error|RunContainerError|CreatePodSandboxError)$/

const textMaxLength = 300
const textIn = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, textMaxLength).replaceAll(/[^\x20-\x7e]+/g, ' ') : ''

const objectIn = (value: unknown): Record<string, unknown> => (isJsonObject(value) ? value : {})
const objectsIn = (value: unknown): Record<string, unknown>[] =>
  (Array.isArray(value) ? value : []).map(objectIn)

/** Undefined while it may still start or end. */
export function podOutcome(pod: KubernetesObject): PodOutcome | undefined {
  const status = objectIn(pod.status)
  const containers = objectsIn(status.containerStatuses)
  const stateOf = (name: string) => objectIn(containers.find((one) => one.name === name)?.state)
  const job = objectIn(stateOf('job').terminated)
  const collector = objectIn(stateOf('collector').terminated)
  if (typeof job.exitCode === 'number' && typeof collector.exitCode === 'number') {
    const { message = '' } = collector
    return {
      kind: 'ended',
      jobExitCode: job.exitCode,
      collectorExitCode: collector.exitCode,
      message: typeof message === 'string' ? message : '',
    }
  }
  if (status.phase === 'Failed')
    return {
      kind: 'stuck',
      slug: 'pod_refused',
      reason: `${textIn(status.reason)} ${textIn(status.message)}`,
    }
  for (const { state } of containers) {
    const { reason, message } = objectIn(objectIn(state).waiting)
    const text = `${textIn(reason)}: ${textIn(message)}`
    if (imageReasons.test(textIn(reason))) return { kind: 'stuck', slug: 'image_unavailable', reason: text }
    if (containerReasons.test(textIn(reason))) return { kind: 'stuck', slug: 'pod_refused', reason: text }
  }
  const unscheduled = objectsIn(status.conditions).find(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable',
  )
  return unscheduled && { kind: 'stuck', slug: 'unschedulable', reason: textIn(unscheduled.message) }
}
