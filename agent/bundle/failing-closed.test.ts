import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StandaloneShim } from '../../testing/agent/standalone-shim.ts'
import { planText, type ShimPlan } from './shim-plan.ts'

/* A real shim with a plan in which one control cannot be applied: nothing starts, and the record names it. */

let shim: StandaloneShim

beforeAll(async () => {
  shim = await StandaloneShim.make()
})
afterAll(() => shim.dispose())

const nowhere = '/nowhere'
const broken: [string, (plan: ShimPlan) => Partial<ShimPlan>][] = [
  ['cgroup_create', ({ cgroups }) => ({ cgroups: { ...cgroups, folders: [nowhere + nowhere] } })],
  ['cgroup_create', ({ cgroups }) => ({ cgroups: { ...cgroups, shown: nowhere } })],
  [
    'limit_devices',
    ({ cgroups }) => ({
      cgroups: { ...cgroups, folders: [shim.layer], settings: [], devices: ['1:3'] },
    }),
  ],
  ['proc_files', () => ({ viewFolder: nowhere })],
  ['staging_mount', () => ({ staging: nowhere })],
  ['image_open', () => ({ lowers: [{ diskIdBase: 0, path: nowhere }] })],
  ['idmapped_mount', () => ({ lowers: [{ diskIdBase: 0, path: '/proc' }] })],
  ['user_namespace', () => ({ idBase: 2 ** 32 - 65_536 })],
  ['loop_device', () => ({ workspace: { kind: 'disk', path: nowhere, floorBytes: 0 } })],
  ['workspace_mount', () => ({ workspace: { kind: 'folder', path: nowhere } })],
  ['runtime_missing', () => ({ command: [nowhere] })],
  ['runtime', () => ({ command: ['/bin/false'] })],
]

test.each(broken)('without %s nothing starts, and the record names it', async (slug, change) => {
  expect(await shim.run(planText({ ...shim.plan, ...change(shim.plan) }))).toMatchObject({
    cause: 'start_failed',
    detail: slug,
  })
})

test('a limit that the kernel refuses fails the start with its name', async () => {
  const { plan } = shim
  for (const { slug, path } of plan.cgroups.settings) {
    const settings = plan.cgroups.settings.map((setting) =>
      setting.path === path ? { ...setting, path: `${path}.nowhere` } : setting,
    )
    const text = planText({ ...plan, cgroups: { ...plan.cgroups, settings } })
    expect(await shim.run(text), path).toMatchObject({ cause: 'start_failed', detail: slug })
  }
})

test('a link that is gone or was replaced is refused', async () => {
  const { plan } = shim
  const spec: ShimPlan['spec'] = { ...plan.spec, network: { egressCapBytes: 1 } }
  const link = { path: '/proc/self/ns/net', inode: 1 } as NonNullable<ShimPlan['link']>
  expect(await shim.run(planText({ ...plan, spec, link }))).toMatchObject({ detail: 'network_gone' })
})

test('without a start record nothing starts', async () => {
  const remove = ({ spawnargs: [, folder = ''] }: ChildProcess) => rmSync(join(folder, 'ticket.json'))
  const record = await shim.run(undefined, undefined, remove)
  expect(record).toMatchObject({ cause: 'start_failed', detail: 'start_record' })
})

test('a truncated plan, or one with an unknown key or event, starts nothing', async () => {
  const whole = planText(shim.plan)
  for (const text of [
    'procs /x\n',
    `${whole}surprise x\n`,
    `${whole}end_runtime later\n`,
    `${whole}runtime launcher\n`,
  ])
    expect(await shim.run(text)).toMatchObject({ cause: 'start_failed', detail: 'plan_invalid' })
})
