import { execFile } from 'node:child_process'
import { mkdtemp, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StandaloneShim } from '../../testing/agent/standalone-shim.ts'
import { planText } from '../bundle/shim-plan.ts'
import { planCgroups } from './cgroups.ts'

const run = promisify(execFile)

/* The device filter of version 2, in a group of that version on any machine: it needs no controllers. */
let shim: StandaloneShim
let root: string

beforeAll(async () => {
  shim = await StandaloneShim.make()
  root = await mkdtemp(join(tmpdir(), 'cgroup2-'))
  await run('mount', ['-t', 'cgroup2', 'none', root])
})
afterAll(async () => {
  await run('umount', [root])
  await rmdir(root)
  await shim.dispose()
})

/** Devices that root can open in the group, and devices that it can make. */
const script = [
  'for d in null zero full random urandom ptmx kmsg loop-control mem; do (: </dev/$d) 2>/dev/null && echo $d; done',
  'for d in "c 1 3" "b 7 0" "c 1 1"; do mknod /run/made $d 2>/dev/null && rm /run/made && echo $d; done',
  'true',
].join('; ')

test('under version 2, even root can open and make only the permitted devices in the group', async () => {
  const { plan } = shim
  const { limits } = plan.spec
  const name = `sandbox-jobs-test-${process.pid}`
  const group = planCgroups({ version: 2, root, cpuset: false }, name, { name: '', limits })
  const cgroups = { ...group, settings: [], counters: [] }
  const { log } = await shim.run(planText({ ...plan, cgroups, command: ['/bin/sh', '-c', script] }))
  expect(log.trim().split('\n')).toEqual(['null', 'zero', 'full', 'random', 'urandom', 'ptmx'])
})
