import { expect, test } from 'vitest'
import { objectOf } from '../api/objects.ts'
import { podOutcome } from './pod-outcome.ts'
import { kernelOf, probeFindings } from './probe-report.ts'

const report = (change: object = {}) =>
  JSON.stringify({
    gateway_ms: 1,
    canary_reached_ms: -1,
    canary_blocked: true,
    kernel: '6.1.0-1-amd64',
    ...change,
  })

const pod = (status: object) => objectOf({ metadata: { name: 'check-1', resourceVersion: '1' }, status })
const ended = (jobExitCode: number, message = report(), collectorExitCode = 0) =>
  pod({
    phase: 'Failed',
    containerStatuses: [
      { name: 'collector', state: { terminated: { exitCode: collectorExitCode, message } } },
      { name: 'job', state: { terminated: { exitCode: jobExitCode } } },
    ],
  })

const node = { kind: 'user_namespace' } as const
const outcomeOf = (status: Parameters<typeof podOutcome>[0]) => {
  const outcome = podOutcome(status)
  if (!outcome) throw new Error('it has no outcome')
  return outcome
}
const missing = (
  status: Parameters<typeof podOutcome>[0],
  boundary: Parameters<typeof probeFindings>[1] = node,
) => probeFindings(outcomeOf(status), boundary).flatMap(({ ok, slug }) => (ok ? [] : [slug]))

test('a pod that is confined has no finding against it', () => {
  expect(missing(ended(0))).toEqual([])
  expect(kernelOf(outcomeOf(ended(0)))).toBe('6.1.0-1-amd64')
})

test.each([
  [1, ['host_users']],
  [2 + 4, ['capabilities', 'filter']],
  [8 + 16 + 32, ['root_writable', 'workspace', 'message']],
  [64, ['token']],
])('the exit code %i says what is open', (exitCode, slugs) => {
  expect(missing(ended(exitCode))).toEqual(slugs)
})

test('neither users nor a filter of the node are needed where a runtime class is the boundary', () => {
  expect(missing(ended(1 + 4), { kind: 'runtime_class', name: 'gvisor' })).toEqual([])
})

test.each([
  ['no gateway', { gateway_ms: -1, canary_blocked: false }, ['gateway']],
  ['an open canary', { canary_reached_ms: 9000, canary_blocked: false }, ['network_rules']],
  ['late policies', { canary_reached_ms: 900 }, []],
])('%s', (_what, change, slugs) => {
  expect(missing(ended(0, report(change)))).toEqual(slugs)
})

test.each([
  ['a program that did not start', ended(128)],
  ['a collector that failed', ended(0, '', 1)],
  ['a message of another form', ended(0, '{"gateway_ms":"1"}')],
  ['a message that is cut', ended(0, report().slice(0, -1))],
  ['a kernel with a line break in its name', ended(0, report({ kernel: 'a\nb' }))],
])('%s is no success', (_what, status) => {
  expect(missing(status)).toEqual(['probe'])
})

test.each([
  ['an image that cannot be pulled', 'image_unavailable', { reason: 'ImagePullBackOff', message: 'gone' }],
  ['a container that cannot be made', 'pod_refused', { reason: 'CreateContainerError', message: 'x' }],
])('%s is %s', (_what, slug, waiting) => {
  expect(
    missing(pod({ phase: 'Pending', containerStatuses: [{ name: 'job', state: { waiting } }] })),
  ).toEqual([slug])
})

test('a pod without a node is unschedulable', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node' }]
  expect(missing(pod({ phase: 'Pending', conditions }))).toEqual(['unschedulable'])
})

test.each([
  ['a pod that was just made', {}],
  [
    'a pull that failed once',
    { containerStatuses: [{ name: 'job', state: { waiting: { reason: 'ErrImagePull' } } }] },
  ],
  [
    'one program that ended',
    { containerStatuses: [{ name: 'job', state: { terminated: { exitCode: 0 } } }] },
  ],
])('%s is waited for', (_what, status) => {
  expect(podOutcome(pod(status))).toBeUndefined()
})
