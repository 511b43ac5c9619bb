import { expect, it } from 'vitest'
import { exitRecord } from '../../testing/scripted-executor.ts'
import { programNeverStarted, type SandboxExit } from './sandbox-exit.ts'

const endedAs = (cause: SandboxExit['cause'], detail: string) =>
  programNeverStarted(exitRecord({ cause, detail, exitCode: null }))

it.each(['runtime', 'launch_namespaces', 'launch_mount', 'network_gone', 'network_join'])(
  'a start that failed at %s is not the fault of its program',
  (detail) => {
    expect(endedAs('start_failed', detail)).toBe(true)
  },
)

it.each(['runtime_missing', 'plan_invalid', 'cgroup_enter'])(
  'a start that failed at %s fails again',
  (detail) => {
    expect(endedAs('start_failed', detail)).toBe(false)
  },
)

it('a program that ended has started', () => {
  expect(endedAs('exited', 'runtime')).toBe(false)
  expect(endedAs('lost', 'keeper')).toBe(false)
  expect(endedAs('lost', 'input_cut')).toBe(true)
})
