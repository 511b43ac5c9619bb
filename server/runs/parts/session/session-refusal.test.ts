import { expect, it } from 'vitest'
import { exitRecord } from '../../../../testing/scripted-executor.ts'
import { changesSession } from './session-refusal.ts'

const folder = { status: 'collected', reason: '' } as const
const unpacking = (status: 'absent' | 'present' | 'lost') => ({
  files: { unpacking: { status, byteSize: 0 } },
})

it.each([
  ['ended by itself', {}, true],
  ['was killed by itself', { cause: 'signalled' as const, ...unpacking('absent') }, true],
  ['was stopped', { cause: 'stopped' as const }, false],
  ['ended before all its files were unpacked', unpacking('present'), false],
  ['left a workspace that could not be read', unpacking('lost'), false],
])('a run that %s: %o', (_name, exit, changes) => {
  expect(changesSession(exitRecord({ cause: 'exited', folder, ...exit }))).toBe(changes)
})
