import { afterAll, beforeAll } from 'vitest'
import type { FolderEntry } from '../../agent/port/folder-entries.ts'
import { capacityConformance } from '../../testing/executor-conformance/capacity-conformance.ts'
import { platformConformance } from '../../testing/executor-conformance/platform-conformance.ts'
import { resultConformance } from '../../testing/executor-conformance/result-conformance.ts'
import { sandboxConformance } from '../../testing/executor-conformance/sandbox-conformance.ts'
import type { ExecutorUnderTest } from '../../testing/executor-conformance/under-test.ts'
import type { FakeProgram } from '../../testing/fake-executor/fake-executor.ts'
import { FakeCluster } from '../../testing/kubernetes/fake-cluster.ts'
import { FakePod } from '../../testing/kubernetes/fake-pod.ts'
import { MemoryRecords } from '../../testing/kubernetes/memory-records.ts'
import { imageDigest, startWorker } from '../../testing/kubernetes/worker-with-gateway.ts'

const file = (path: string, content: string): FolderEntry => ({
  kind: 'file',
  mode: 0o644,
  modifiedAt: 5,
  path,
  content: Buffer.from(content),
})

const programs: Record<string, FakeProgram> = {
  echo: (_, input) => ({ exit: { exitCode: 3 }, log: input.toString(), files: { output: input } }),
  endless: (_spec, _input, _signal, print) => {
    print('begun\n')
    return new Promise(() => undefined)
  },
  leave: () => ({
    tree: [{ path: 'a/b', content: Buffer.from('one') }],
    folder: [file('new', 'new'), file('old', 'kept')],
  }),
  fill: () => ({ exit: { exitCode: 9, workspaceFull: true } }),
  compute: () => ({ exit: { cpuMs: 5, peakMemoryBytes: 4096 } }),
}

const cluster = FakeCluster.start()
cluster.onCreated = (pod) => {
  const program: FakeProgram = (spec, ...given) => programs[spec.argv[0] ?? '']?.(spec, ...given) ?? {}
  // The last ones ask a gateway that has stopped.
  new FakePod(cluster, pod).run(program).catch(() => {})
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
  programs: { echo: ['echo'], endless: ['endless'], leave: ['leave'], fill: ['fill'], compute: ['compute'] },
})

// Images are pushed by the operator, not by a start: the promises of `ImagePort` are not kept.
sandboxConformance(underTest)
resultConformance(underTest)
capacityConformance(() => worker.executor)
platformConformance(() => worker.executor)
