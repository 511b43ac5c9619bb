import { findGvisor } from '../host/gvisor.ts'
import { findProgram, hostPrograms } from '../host/host-checks.ts'
import { runtimeRoot } from '../host/paths.ts'
import { ExecutorRefused } from '../port/errors.ts'
import {
  type SandboxLimits,
  type SandboxRuntime,
  type SandboxSpec,
  sandboxRuntimes,
} from '../port/sandbox-spec.ts'
import { launchDescription } from './launch-description.ts'
import type { OciSpec } from './oci-spec.ts'

/** The descriptor by which process 1 reports to the shim: runsc passes only the standard three. */
export const statusDescriptor: Record<SandboxRuntime, 2 | 3> = { crun: 3, launcher: 3, runsc: 2 }

/** gVisor uses up to this many host threads per process inside. */
const sentryTasksPerProcess = 32
const sentryTasks = 256
const maxHostTasks = 16_384

/** Limits for the control groups: those of the spec, plus gVisor's own threads. */
export function groupLimits({ runtime, limits }: SandboxSpec): SandboxLimits {
  if (runtime !== 'runsc') return limits
  const pids = Math.min(maxHostTasks, sentryTasks + sentryTasksPerProcess * limits.pids)
  return { ...limits, pids }
}

/**
 * The sandbox on the machine's minimum runtime; a stronger one that was requested is kept. Builds, and sandboxes of the agent itself, need
 * capabilities that gVisor has no use for, so they stay on the host's kernel.
 */
export function atLeast(weakest: SandboxRuntime, spec: SandboxSpec, isInternal = false): SandboxSpec {
  if (weakest === 'runsc' && (isInternal || spec.confinement === 'build')) return spec
  return sandboxRuntimes.indexOf(weakest) > sandboxRuntimes.indexOf(spec.runtime)
    ? { ...spec, runtime: weakest }
    : spec
}

/** The runtimes that are programs of the host. The launcher is a part of the shim. */
type RuntimeProgram = Exclude<SandboxRuntime, 'launcher'>

/** The installed ones; undefined if missing or too old. */
export type RuntimePrograms = Record<RuntimeProgram, string | undefined>

export async function findRuntimes(): Promise<RuntimePrograms> {
  const [crun, runsc] = await Promise.all([findProgram(hostPrograms.crun), findGvisor()])
  return { crun, runsc }
}

/**
 * A folder that the shim hides from a runtime that uses a link. runsc refuses the host's network namespace, which it detects
 * by a file that newer kernels have in every namespace; the shim has verified its namespace by the inode.
 */
export const hiddenFolder: Record<SandboxRuntime, string | undefined> = {
  crun: undefined,
  launcher: undefined,
  runsc: '/proc/sys/net',
}

/** gVisor answers `sysinfo` with what it reads in the host's /proc/meminfo as it starts: the shim covers that file. */
export const readsHostMemory: Record<SandboxRuntime, boolean> = {
  crun: false,
  launcher: false,
  runsc: true,
}

/**
 * True for a runtime that only watches process 1 once that is up: the shim kills it then. To detach, crun would start itself twice
 * more, and write files that nobody reads. The launcher ends with the start; runsc is the sandbox's kernel, and stays.
 */
export const endsWithStart: Record<SandboxRuntime, boolean> = { crun: true, launcher: false, runsc: false }

const installCommands: Record<RuntimeProgram, string> = {
  crun: 'apt-get install crun',
  runsc: 'install/runsc.sh',
}

/** The text from which a runtime starts a sandbox: a file in its folder, or for the launcher a part of the plan. */
export const runtimeInput = (
  runtime: SandboxRuntime,
  spec: OciSpec,
): { file: string | undefined; text: string } =>
  runtime === 'launcher'
    ? { file: undefined, text: launchDescription(spec) }
    : { file: 'config.json', text: JSON.stringify(spec) }

/**
 * How the shim starts a runtime in the sandbox's own folder, which holds its input; empty for the launcher. All leave the limits to
 * the control groups that the shim has entered.
 */
export function runtimeCommand(
  { id, runtime, network }: Pick<SandboxSpec, 'id' | 'runtime' | 'network'>,
  programs: RuntimePrograms,
): string[] {
  if (runtime === 'launcher') return []
  const program = programs[runtime]
  if (program === undefined) {
    throw new ExecutorRefused('runtime_missing', `this sandbox needs ${runtime}: ${installCommands[runtime]}`)
  }
  switch (runtime) {
    case 'crun':
      return [
        ...[program, '--cgroup-manager=disabled', '--root', runtimeRoot, '--log=file:crun.log'],
        ...['run', '--preserve-fds=1', '--bundle', '.', id],
      ]
    case 'runsc':
      return [
        // systrap works without virtualization, unlike KVM.
        ...[program, '--platform=systrap', '--ignore-cgroups', '--root', runtimeRoot, '--log=runsc.log'],
        // Writes go to the size-limited mounts of the shim, not to a layer of gVisor; files are opened by the gofer, a
        // separate process from the one that runs the program.
        ...['--overlay2=none', '--directfs=false'],
        // The system call filter also applies inside, and keeps programs from most of gVisor's code.
        ...['--oci-seccomp', `--network=${network === 'none' ? 'none' : 'sandbox'}`],
        ...['run', '--bundle', '.', id],
      ]
  }
}
