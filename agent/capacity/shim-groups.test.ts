import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { detectCgroups } from '../host/cgroup-layout.ts'
import { prepareShimCgroups, removeShimCgroups, type ShimCgroups, shimCgroups } from '../host/shim-cgroups.ts'
import { ShimGroups } from './shim-groups.ts'

const parent = `sandbox-jobs-test-groups-${process.pid}`
const layout = await detectCgroups()
let cgroups: ShimCgroups
let shim: ChildProcess

beforeAll(async () => {
  if (!layout) throw new Error('this machine has no control groups')
  await prepareShimCgroups(layout, parent)
  cgroups = shimCgroups(layout, parent)
  shim = spawn('sleep', ['100'])
})
afterAll(async () => {
  shim.kill('SIGKILL')
  await once(shim, 'exit')
  if (layout) await removeShimCgroups(layout, parent)
})

test('a group that is not used any more is removed, and made again for the next shim', async () => {
  const groups = new ShimGroups(cgroups, -1)
  const folder = groups.folderFor(1)
  await groups.update(() => 1)
  expect(existsSync(folder)).toBe(false)
  expect(existsSync(groups.folderFor(1))).toBe(true)
})

test('a group that is used, or has a shim, stays', async () => {
  const [lasting, brief] = [new ShimGroups(cgroups), new ShimGroups(cgroups, -1)]
  const [used, held] = [lasting.folderFor(2), brief.folderFor(undefined)]
  writeFileSync(join(held, 'cgroup.procs'), String(shim.pid))
  for (const groups of [lasting, brief]) await groups.update(() => 1)
  expect([used, held].map((folder) => existsSync(folder))).toEqual([true, true])
})
