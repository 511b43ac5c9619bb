import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inputOf } from '../../agent/port/start-input.ts'
import { eventually } from '../../testing/eventually.ts'
import { resultConformance } from '../../testing/executor-conformance/result-conformance.ts'
import { shellPrograms } from '../../testing/executor-conformance/shell-programs.ts'
import { type ExecutorUnderTest, smallJob } from '../../testing/executor-conformance/under-test.ts'
import { ContainedPod } from '../../testing/kubernetes/contained-pod.ts'
import { FakeCluster } from '../../testing/kubernetes/fake-cluster.ts'
import { MemoryRecords } from '../../testing/kubernetes/memory-records.ts'
import { imageDigest, startWorker } from '../../testing/kubernetes/worker-with-gateway.ts'
import { noInput } from '../../testing/no-input.ts'

/* The ports with the real programs of a pod, without a cluster. */

const cluster = FakeCluster.start()
const pods: Promise<ContainedPod>[] = []
cluster.onCreated = (pod) => void pods.push(ContainedPod.start(cluster, pod))

let worker: Awaited<ReturnType<typeof startWorker>>
beforeAll(async () => {
  worker = await startWorker({ cluster, records: new MemoryRecords() })
})
afterAll(async () => {
  for (const pod of await Promise.all(pods)) pod.dispose()
  await worker.stop()
})

const underTest = (): ExecutorUnderTest => ({
  executor: worker.executor,
  runtime: 'crun',
  digest: imageDigest,
  programs: shellPrograms,
})

resultConformance(underTest)

test('a program that is stopped ends, and its id does not start again', async () => {
  const { executor } = worker
  const spec = smallJob(underTest(), 'endless')
  await executor.start(spec, noInput)
  await executor.stop(spec.id)
  expect(await executor.wait(spec.id)).toMatchObject({ cause: 'stopped', exitCode: null })
  await executor.remove(spec.id)
  await expect(executor.start(spec, noInput)).rejects.toMatchObject({ slug: 'removed' })
})

test('a start whose input is cut has not started its program', async () => {
  const { executor } = worker
  const spec = smallJob(underTest(), 'echo')
  const input = new PassThrough()
  input.write('first')
  const started = executor.start(spec, inputOf(input))
  started.catch(() => {})
  await eventually(async () => expect((await executor.list()).map(({ id }) => id)).toContain(spec.id))
  input.destroy(new Error('gone'))
  await expect(started).rejects.toMatchObject({ slug: 'never_started' })
  expect(await executor.wait(spec.id)).toMatchObject({ cause: 'lost', detail: 'input_cut' })
})
