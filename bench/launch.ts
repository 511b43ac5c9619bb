import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { compileFilters } from '../agent/bundle/compiled-filters.ts'
import type { OciSpec } from '../agent/bundle/oci-spec.ts'
import { runtimeInput } from '../agent/bundle/runtimes.ts'
import { ociSpec } from '../agent/bundle/spec.ts'
import { findProgram, hostPrograms } from '../agent/host/host-checks.ts'
import { storageIdBase } from '../agent/host/id-ranges.ts'
import { loadableWith } from '../agent/host/loadable-with.ts'
import { stagingFolder } from '../agent/host/paths.ts'
import { makePlatformLayer } from '../agent/images/platform-layer.ts'
import { installedPrograms } from '../server/native-programs/installed.ts'
import { agentSources, flagsOf, launcherSources } from '../server/native-programs/programs.ts'
import { busybox } from '../testing/agent/test-agent.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { interleaved } from './harness/measure/rounds.ts'
import { type Row, rowOf } from './harness/measure/row.ts'
import { buildLauncher, Launcher } from './harness/sandbox/launcher.ts'
import { shellSandbox } from './harness/sandbox/shell-sandbox.ts'
import { bubblewrap } from './peers/bubblewrap.ts'
import { rootsWrapper, startByte } from './peers/crun.ts'

const crun = '/usr/bin/crun'
const execFloor = 'fork and exec of /bin/true'

/** The cost of starting process 1, without shim and agent; docs in bench/README.md. */
export const launch: Benchmark = {
  name: 'launch',
  about: 'a sandbox started, run and gone by the launcher alone, over crun and bubblewrap',
  run: async (options) => {
    const work = await mkdtemp(join(tmpdir(), 'bench-launch-'))
    try {
      return await measure(work, options)
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  },
}

async function measure(work: string, { rounds, peers, say }: BenchOptions): Promise<Row[]> {
  const prepared = await prepare(work)
  const timer = await buildLauncher(work)
  const timed = (name: string, command: string[], more: { wrapper: string[]; env?: NodeJS.ProcessEnv }) =>
    new Launcher({
      ...{ launcher: timer, command, stdin: join(work, 'stdin'), errors: join(work, `${name}.errors`) },
      ...{ timed: 'all', ...more },
    })
  const { roots, spec, preload } = prepared
  const ours = timed('launcher', [await buildOurs(work)], { wrapper: roots })
  const own = { PATH: process.env.PATH, _LIBCONTAINER_CLONED_BINARY: '1', LD_PRELOAD: preload }
  const contenders: { name: string; notes: string[]; launched: Launcher }[] = [
    { name: 'crun', notes: [], launched: timed('crun', crunCommand(work), { wrapper: roots, env: own }) },
  ]
  if (peers) {
    const { command, notes } = await bubblewrap(spec)
    const launched = timed('bubblewrap', command, { wrapper: roots })
    contenders.push({ name: 'bubblewrap', notes, launched })
  }
  const exec = timed('true', ['/bin/true'], { wrapper: [] })
  try {
    const subjects = [
      { name: 'ours', once: () => ours.once() },
      { name: execFloor, once: () => exec.once() },
      ...contenders.map(({ name, launched }) => ({ name, once: () => launched.once() })),
    ]
    say('launch: warming up')
    const machine = machineNote()
    const samples = await interleaved(subjects, { rounds, warmups: 5, restMs: 20 })
    const [floor = 0] = (samples.get(execFloor) ?? []).toSorted((a, b) => a - b)
    return contenders.map(({ name, notes, launched }) =>
      rowOf({
        name: 'launch',
        ours: { samplesMs: samples.get('ours') ?? [], cpuMs: ours.cpuMs },
        peer: {
          ...{ name, reach: undefined, notes },
          measured: { samplesMs: samples.get(name) ?? [], cpuMs: launched.cpuMs },
        },
        floor: { [execFloor]: floor },
        notes: [machine()],
      }),
    )
  } finally {
    await Promise.all([ours, exec, ...contenders.map(({ launched }) => launched)].map((one) => one.close()))
  }
}

/** The launcher as a program of its own, compiled into `work`; in the service it is a part of the shim. */
async function buildOurs(work: string): Promise<string> {
  const program = join(work, 'launch-ours')
  const sources = [join(import.meta.dirname, 'harness/sandbox/launch.c'), ...launcherSources]
  await promisify(execFile)('cc', [...flagsOf.program, '-o', program, ...sources], { cwd: agentSources })
  return program
}

/** The files of one sandbox for both runtimes, on a root that all of them share. */
async function prepare(work: string) {
  const native = installedPrograms(join(work, 'native'), ['init', 'unpack', 'no-systemd.so'])
  const shell = await findProgram(hostPrograms.busybox)
  if (shell === undefined) throw new Error('busybox is missing')
  const layer = await makePlatformLayer(
    join(work, 'layers'),
    { init: native.init, unpack: native.unpack, busybox: shell },
    {},
  )
  const filters = await compileFilters(crun, { layer: layer.path, folder: join(work, 'filters') })
  const image = join(work, 'image')
  await mkdir(image)
  const sandbox = { ...shellSandbox(`sha256:${'0'.repeat(64)}`, ''), argv: [busybox, 'true'] }
  const options = { idBase: storageIdBase, arch: process.arch, confinement: 'job', filters } as const
  const made = ociSpec(sandbox, options)
  const spec: OciSpec = { ...made, root: { ...made.root, path: `${stagingFolder}/0/root` } }
  for (const runtime of ['crun', 'launcher'] as const) {
    const { file = 'launch', text } = runtimeInput(runtime, spec)
    await writeFile(join(work, file), text)
  }
  await writeFile(join(work, 'stdin'), startByte)
  const roots = [...rootsWrapper(layer.path, image, 1), '/usr/bin/env', '-C', work]
  return { spec, roots, preload: await loadableWith(crun, native['no-systemd.so']) }
}

const crunCommand = (work: string) => [
  ...[crun, '--cgroup-manager=disabled', '--root', join(work, 'state')],
  ...['run', '--preserve-fds=1', '--bundle', work, 'bench'],
]
