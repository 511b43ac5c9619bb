import { afterAll, beforeAll } from 'vitest'
import { capacityConformance } from '../../testing/executor-conformance/capacity-conformance.ts'
import { platformConformance } from '../../testing/executor-conformance/platform-conformance.ts'
import { resultConformance } from '../../testing/executor-conformance/result-conformance.ts'
import { sandboxConformance } from '../../testing/executor-conformance/sandbox-conformance.ts'
import type { ExecutorUnderTest } from '../../testing/executor-conformance/under-test.ts'
import { conformanceProgram, conformanceWords } from '../../testing/fake-executor/conformance-programs.ts'
import { FakeCluster } from '../../testing/kubernetes/fake-cluster.ts'
import { FakePod } from '../../testing/kubernetes/fake-pod.ts'
import { MemoryRecords } from '../../testing/kubernetes/memory-records.ts'
import { imageDigest, startWorker } from '../../testing/kubernetes/worker-with-gateway.ts'

const cluster = FakeCluster.start()
cluster.onCreated = (pod) => {
  // The last ones ask a gateway that has stopped.
  new FakePod(cluster, pod).run(conformanceProgram).catch(() => {})
}

let worker: Awaited<ReturnType<typeof startWorker>>
beforeAll(async () => {
  worker = await startWorker({ cluster, records: new MemoryRecords() })
})
afterAll(() => worker.stop())

const underTest = (): ExecutorUnderTest => ({
  executor: worker.executor,
  runtime: 'crun',
  digest: imageDigest,
  programs: conformanceWords,
})

// Images are pushed by the operator, not by a start: the promises of `ImagePort` are not kept.
sandboxConformance(underTest)
resultConformance(underTest)
capacityConformance(() => worker.executor)
platformConformance(() => worker.executor)
