import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installedPrograms } from '../../server/native-programs/installed.ts'
import { StandaloneShim } from '../../testing/agent/standalone-shim.ts'
import { findProgram, hostPrograms } from '../host/host-checks.ts'
import { makePlatformLayer } from '../images/platform-layer.ts'
import { type CompiledFilters, compileFilters } from './compiled-filters.ts'
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
  const { init } = installedPrograms(join(parent, 'native'), ['init'])
  const programs = { busybox, init, unpack: busybox }
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
  expect(await readdir(parent)).toEqual(['layers', 'native'])
  expect(await readdir(join(layer, 'dev'))).toEqual([])
})

test('a runtime that makes no filter is refused', async () => {
  await expect(compiled('/bin/false')).rejects.toMatchObject({ slug: 'filter' })
  expect(await readdir(parent)).toEqual(['layers', 'native'])
})

test.each([
  ['cut', (whole: string) => whole.slice(0, 400)],
  ['empty', () => ''],
])('a filter that is %s starts nothing', async (_how, damaged) => {
  const { job, build } = await compiled(crun)
  const { log, ...record } = await runWith(configWith({ job: damaged(job), build }))
  expect(record).toMatchObject({ cause: 'start_failed', detail: 'runtime' })
  expect(log).toContain('SECCOMP_SET_MODE_FILTER')
})

test('the configuration has the compiled filter in place of its profile', async () => {
  const filters = await compiled(crun)
  const config = configWith(filters)
  expect(config.annotations).toEqual({ 'run.oci.seccomp_bpf_data': filters.job })
  expect(config.linux).not.toHaveProperty('seccomp')
})

test('a runtime that applies no filter starts nothing', async () => {
  const config = { ...configWith(await compiled(crun)), annotations: {} }
  expect(await runWith(config)).toMatchObject({ cause: 'start_failed', detail: 'filter' })
})

function configWith(filters: CompiledFilters) {
  const { spec, idBase } = shim.plan
  const config = ociSpec(spec, { idBase, arch: process.arch, confinement: 'job', filters })
  return config as { annotations: object; linux: object }
}

function runWith(config: object) {
  const command = runtimeCommand(shim.plan.spec, { crun, runsc: undefined })
  const plan = { ...shim.plan, command, lowers: [{ diskIdBase: 0, path: layer }] }
  return shim.run(planText(plan), { config: JSON.stringify(config) })
}
