import { afterEach, expect, test } from 'vitest'
import { createLog } from '../../server/base/logging.ts'
import { eventually } from '../../testing/eventually.ts'
import { FakeCluster, fakeNamespace } from '../../testing/kubernetes/fake-cluster.ts'
import { PodWatch } from './pod-watch.ts'

const cluster = FakeCluster.start()
const watch = new PodWatch({
  client: cluster,
  namespace: fakeNamespace,
  executor: 'exec',
  log: createLog('test', 'silent'),
})
afterEach(() => watch.stop())

test('the job of a pod that is not there has ended, but not before all pods were listed', async () => {
  const { metadata } = await cluster.create('', {
    metadata: { name: 'run-1' },
    status: { containerStatuses: [{ name: 'job', state: { running: {} } }] },
  })
  expect(watch.hasJobEnded('run-1')).toBe(false)
  expect(watch.hasJobEnded('run-2')).toBe(false)
  watch.start()
  await eventually(() => expect(watch.find('run-1')?.metadata.uid).toBe(metadata.uid))
  expect(watch.hasJobEnded('run-1')).toBe(false)
  expect(watch.hasJobEnded('run-2')).toBe(true)
})
