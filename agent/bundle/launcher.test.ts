import type { ChildProcess } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installedPrograms } from '../../server/native-programs/installed.ts'
import { StandaloneShim } from '../../testing/agent/standalone-shim.ts'
import { sendInput } from '../core/shim/input-frames.ts'
import { findProgram, hostPrograms } from '../host/host-checks.ts'
import { stagingFolder } from '../host/paths.ts'
import { makePlatformLayer } from '../images/platform-layer.ts'
import { compileFilters } from './compiled-filters.ts'
import { launchDescription } from './launch-description.ts'
import { planText } from './shim-plan.ts'
import { ociSpec } from './spec.ts'

/* A real shim with a launcher whose description is wrong in one place: nothing starts, and the record names the step. */

let folder: string
let shim: StandaloneShim
let plan: string
let whole: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'launcher-'))
  const { init } = installedPrograms(join(folder, 'native'), ['init'])
  const busybox = (await findProgram(hostPrograms.busybox)) ?? ''
  const programs = { busybox, init, unpack: busybox }
  const layer = (await makePlatformLayer(join(folder, 'layers'), programs, {})).path
  const filters = await compileFilters('/usr/bin/crun', { layer, folder: join(folder, 'filters') })
  shim = await StandaloneShim.make()
  const { spec, idBase } = shim.plan
  plan = planText({
    ...shim.plan,
    spec: { ...spec, runtime: 'launcher' },
    command: [],
    lowers: [{ diskIdBase: 0, path: layer }],
  })
  whole = launchDescription(ociSpec(spec, { idBase, arch: process.arch, confinement: 'job', filters }))
})
afterAll(async () => {
  await shim.dispose()
  await rm(folder, { recursive: true })
})

async function start({ stdin }: ChildProcess): Promise<void> {
  const signal = { timeoutMs: 10_000, masked: [], onRelease: () => undefined }
  if (stdin) await sendInput(Readable.from([]), stdin, signal)
}

function run(text: string, onStart: (shim: ChildProcess) => void = () => undefined) {
  return shim.run(plan, { description: text }, (child) => {
    void start(child)
    onStart(child)
  })
}

/** Values of each key; one of every other. */
const valuesOf: Record<string, number> = {
  mount: 5,
  device: 2,
  link: 2,
  setting: 2,
  limit: 3,
  user: 3,
  end: 0,
}

function entriesOf(text: string): string[][] {
  const words = text.split('\0').slice(0, -1)
  const entries: string[][] = []
  while (words.length > 0) entries.push(words.splice(0, 1 + (valuesOf[words[0] ?? ''] ?? 1)))
  return entries
}

/** The description without the entries of `key`, and with `more` before its end. */
function changed(key: string, ...more: string[][]): string {
  const others = entriesOf(whole).filter(([name]) => name !== key && name !== 'end')
  return [...others, ...more, ['end']].map((entry) => `${entry.join('\0')}\0`).join('')
}

test('with the whole description the program runs', async () => {
  expect(changed('none')).toBe(whole)
  expect(await run(whole)).toMatchObject({ cause: 'exited', detail: '', log: '' })
})

test('a file covers one of a control group of version 2, on every host', async () => {
  const flags = 'ro,nosuid,nodev,noexec'
  const group = ['mount', '/sys/fs/cgroup', 'cgroup2', 'cgroup2', flags, '']
  const file = '/sys/fs/cgroup/cgroup.procs'
  const cover = ['mount', file, '', `${stagingFolder}/cgroup/memory.max`, flags, '']
  const words = ['/.sandbox/init', '3', '/.sandbox/busybox', 'sh', '-c', `cat ${file}; echo >${file}`]
  const program = words.map((word) => ['argument', word])
  const { log } = await run(changed('argument', group, cover, ...program))
  expect(log).toMatch(/^134217728\n.*Read-only file system\n$/s)
})

const invalid: [string, () => string][] = [
  ['nothing', () => '\0'],
  ['another version', () => whole.replace(/^version\0.*?\0/, 'version\x001\0')],
  ['no version', () => whole.replace(/^version\0.*?\0/, '')],
  ['its end cut off', () => whole.slice(0, -4)],
  ['its last byte cut off', () => whole.slice(0, -1)],
  ['more after its end', () => `${whole}more\0`],
  ['an unknown key', () => changed('none', ['surprise', 'x'])],
  ['an unknown namespace', () => changed('none', ['namespace', 'time'])],
  ['an unknown limit', () => changed('none', ['limit', 'NPROC', '1', '1'])],
  ['a limit that is no number', () => changed('none', ['limit', 'CORE', '-1', '1'])],
  ['an unknown capability', () => changed('none', ['capability', 'SYS_MODULE'])],
  ['no user', () => changed('user')],
  ['no hostname', () => changed('hostname')],
  ['no map of ids', () => changed('gid_map')],
  ['no namespace', () => changed('namespace')],
  ['no program', () => changed('argument')],
  ['no filter', () => changed('filter')],
  ['an empty filter', () => changed('filter', ['filter', ''])],
  ['a filter that was cut', () => changed('filter', ['filter', 'AAAA'])],
  ['a filter in other digits', () => changed('filter', ['filter', '****'])],
  ['too many masks', () => changed('none', ...Array.from({ length: 40 }, () => ['masked', '/proc/keys']))],
]

test.each(invalid)('a description with %s is refused', async (_what, text) => {
  expect(await run(text())).toMatchObject({ cause: 'start_failed', detail: 'launch_description' })
})

const tmpfs = ['tmpfs', 'tmpfs', 'nosuid', '']
const broken: [string, string, string, ...string[][]][] = [
  ['launch_ids', 'ids of nobody', 'uid_map', ['uid_map', '0 4294967295 1']],
  ['launch_hostname', 'a hostname that is too long', 'hostname', ['hostname', 'h'.repeat(65)]],
  ['launch_root', 'a root that is missing', 'root', ['root', '/nowhere']],
  ['launch_mount', 'a place that is missing', 'none', ['mount', '/nowhere', ...tmpfs]],
  ['launch_mount', 'a place that is a link', 'none', ['mount', '/proc/self', ...tmpfs]],
  ['launch_mount', 'a place above the root', 'none', ['mount', '/../tmp', ...tmpfs]],
  ['launch_mount', 'the root itself as a place', 'none', ['mount', '/', ...tmpfs]],
  ['launch_mount', 'an unknown file system', 'none', ['mount', '/tmp', 'nofs', 'none', '', '']],
  ['launch_mount', 'an unknown option', 'none', ['mount', '/tmp', 'tmpfs', 'none', '', 'colour=red']],
  ['launch_mount', 'an unknown flag', 'none', ['mount', '/tmp', 'tmpfs', 'none', 'suid', '']],
  ['launch_mount', 'a source that is missing', 'none', ['mount', '/tmp', '', '/nowhere', 'ro', '']],
  ['launch_device', 'a device that is missing', 'none', ['device', '/dev/nowhere', '/nowhere']],
  ['launch_device', 'a device that is none', 'none', ['device', '/dev/more', '/etc/hostname']],
  ['launch_device', 'a device elsewhere', 'none', ['device', '/nowhere', '/dev/null']],
  ['launch_device', 'a link elsewhere', 'none', ['link', '/tmp/x', '/']],
  ['launch_setting', 'a setting of the machine', 'none', ['setting', 'vm.swappiness', '1']],
  ['launch_setting', 'a setting that is missing', 'none', ['setting', 'net.nowhere', '1']],
  ['launch_read_only', 'a read-only path through a link', 'none', ['read_only', '/proc/self/fd']],
  ['launch_mask', 'a masked path through a link', 'none', ['masked', '/proc/self/maps']],
  ['launch_limit', 'a limit above the shim’s', 'none', ['limit', 'NOFILE', '4000000000', '4000000000']],
  ['launch_user', 'a folder that is missing', 'folder', ['folder', '/nowhere']],
  ['launch_filter', 'a filter that is none', 'filter', ['filter', Buffer.alloc(8, 0xff).toString('base64')]],
  ['launch_execute', 'a program that is missing', 'argument', ['argument', '/nowhere']],
]

test.each(broken)('without %s nothing starts: %s', async (step, _what, key, ...words) => {
  const { log, ...record } = await run(changed(key, ...words))
  expect(record, log).toMatchObject({ cause: 'start_failed', detail: step })
  expect(log).toMatch(new RegExp(`^launcher: ${step}: `))
})

const kills = 60
const lifeMs = 4

test('a launcher that is killed at any moment leaves no process and no control group', async () => {
  const details = new Set<string>()
  for (let at = 0; at < kills; at += 1) {
    const { detail } = await run(whole, ({ pid = 0 }) => killChild(pid, (lifeMs * at) / kills))
    details.add(detail)
    for (const path of shim.plan.cgroups.folders) expect(existsSync(path), path).toBe(false)
  }
  expect([...details].toSorted()).toEqual(['', 'runtime'])
})

/** Kills the first child of a process, so long after it was seen. */
function killChild(parent: number, afterMs: number): void {
  const childOf = () => readFileSync(`/proc/${parent}/task/${parent}/children`, 'latin1').trim()
  let child = childOf()
  while (child === '') child = childOf()
  const until = performance.now() + afterMs
  while (performance.now() < until);
  try {
    process.kill(Number(child.split(' ')[0]), 'SIGKILL')
  } catch {
    // It has ended.
  }
}
