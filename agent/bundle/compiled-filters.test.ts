import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StandaloneShim } from '../../testing/agent/standalone-shim.ts'
import { findProgram, hostPrograms } from '../host/host-checks.ts'
import { makePlatformLayer } from '../images/platform-layer.ts'
import { compileFilters } from './compiled-filters.ts'
import { runtimeCommand } from './runtimes.ts'
import { planText } from './shim-plan.ts'
import { ociSpec } from './spec.ts'

let parent: string
let layer: string
let shim: StandaloneShim
const crun = '/usr/bin/crun'

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'filters-'))
  const busybox = (await findProgram(hostPrograms.busybox)) ?? ''
  const programs = { busybox, init: busybox, unpack: busybox }
  layer = (await makePlatformLayer(join(parent, 'layers'), programs, {})).path
  shim = await StandaloneShim.make()
})
afterAll(async () => {
  await shim.dispose()
  await rm(parent, { recursive: true })
})

const compiled = (program: string) => compileFilters(program, { layer, folder: join(parent, 'filters') })

test('each profile compiles to the same filter each time, and no files are left', async () => {
  const filters = await compiled(crun)
  expect(filters.job).not.toBe(filters.build)
  expect(await compiled(crun)).toEqual(filters)
  expect(await readdir(parent)).toEqual(['layers'])
  expect(await readdir(join(layer, 'dev'))).toEqual([])
})

test('a runtime that makes no filter is refused', async () => {
  await expect(compiled('/bin/false')).rejects.toMatchObject({ slug: 'filter' })
  expect(await readdir(parent)).toEqual(['layers'])
})

test.each([
  ['cut', (whole: string) => whole.slice(0, 400)],
  ['empty', () => ''],
])('a filter that is %s starts nothing', async (_how, damaged) => {
  const { job, build } = await compiled(crun)
  const { spec, idBase } = shim.plan
  const filters = { job: damaged(job), build }
  const config = ociSpec(spec, { idBase, arch: process.arch, confinement: 'job', filters })
  const command = runtimeCommand(spec, { crun, runsc: undefined })
  const plan = { ...shim.plan, command, lowers: [{ diskIdBase: 0, path: layer }] }
  const { log, ...record } = await shim.run(planText(plan), config)
  expect(record).toMatchObject({ cause: 'start_failed', detail: 'runtime' })
  expect(log).toContain('SECCOMP_SET_MODE_FILTER')
})
