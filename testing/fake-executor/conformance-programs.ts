import type { FolderEntry } from '../../agent/port/folder-entries.ts'
import type { ExecutorUnderTest } from '../executor-conformance/under-test.ts'
import type { FakeProgram } from './fake-executor.ts'

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

/** The programs of the conformance suites, where a function takes the place of a program. */
export const conformanceProgram: FakeProgram = (spec, ...given) =>
  programs[spec.argv[0] ?? '']?.(spec, ...given) ?? {}

/** Their command lines. */
export const conformanceWords: ExecutorUnderTest['programs'] = {
  echo: ['echo'],
  endless: ['endless'],
  leave: ['leave'],
  fill: ['fill'],
  compute: ['compute'],
}
