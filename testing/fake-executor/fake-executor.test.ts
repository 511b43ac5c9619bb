import { beforeAll } from 'vitest'
import type { FolderEntry } from '../../agent/port/folder-entries.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import { executorConformance } from '../executor-conformance/executor-conformance.ts'
import { layerOf } from '../image-layer.ts'
import { FakeExecutor, type FakeProgram } from './fake-executor.ts'

const image = Buffer.from('an image')
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
const executor = new FakeExecutor((spec, ...given) => programs[spec.argv[0] ?? '']?.(spec, ...given) ?? {})
beforeAll(() => executor.installImage(sha256Of(image), layerOf(image)))

executorConformance('the fake', () => ({
  executor,
  runtime: 'crun',
  digest: sha256Of(image),
  programs: { echo: ['echo'], endless: ['endless'], leave: ['leave'], fill: ['fill'], compute: ['compute'] },
}))
