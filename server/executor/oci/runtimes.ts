import { ExecutorRefused, type SandboxLimits, type SandboxRuntime, type SandboxSpec } from '../port.ts'
import { findGvisor } from './gvisor.ts'
import { findProgram, hostPrograms } from './host-checks.ts'
import { runtimeRoot } from './paths.ts'

/** By which process 1 tells the shim of the program: runsc lets no descriptor but the standard three in. */
export const statusDescriptor: Record<SandboxRuntime, 2 | 3> = { crun: 3, runsc: 2 }

/** gVisor keeps up to so many threads on the host for one process inside. */
const sentryTasksPerProcess = 32
const sentryTasks = 256
const maxHostTasks = 16_384

/** What the control groups hold the sandbox to: its own limits, and for gVisor room for its own threads. */
export function groupLimits({ runtime, limits }: SandboxSpec): SandboxLimits {
  if (runtime === 'crun') return limits
  const pids = Math.min(maxHostTasks, sentryTasks + sentryTasksPerProcess * limits.pids)
  return { ...limits, pids }
}

/** A job gets at least what the machine is set to; what asks for more keeps it. */
export function atLeast(weakest: SandboxRuntime, spec: SandboxSpec): SandboxSpec {
  return weakest === 'runsc' && spec.confinement === 'job' ? { ...spec, runtime: 'runsc' } : spec
}

/** The runtimes that this machine has, by their programs; one that is too old is not there. */
export type RuntimePrograms = Record<SandboxRuntime, string | undefined>

export async function findRuntimes(): Promise<RuntimePrograms> {
  const [crun, runsc] = await Promise.all([findProgram(hostPrograms.crun), findGvisor()])
  return { crun, runsc }
}

/**
 * What a runtime that takes a link may not see. runsc refuses the machine's own network namespace, which it knows by a
 * file that newer kernels have in every namespace; the shim has proved by its inode which namespace it is in.
 */
export const hiddenFolder: Record<SandboxRuntime, string | undefined> = {
  crun: undefined,
  runsc: '/proc/sys/net',
}

const installing: Record<SandboxRuntime, string> = {
  crun: 'apt-get install crun',
  runsc: 'install/runsc.sh',
}

/**
 * How the shim starts a runtime in the sandbox's own folder, which holds the OCI specification. Both leave the limits
 * to the control groups that the shim has entered.
 */
export function runtimeCommand(
  { id, runtime, network }: Pick<SandboxSpec, 'id' | 'runtime' | 'network'>,
  programs: RuntimePrograms,
): string[] {
  const program = programs[runtime]
  if (program === undefined) {
    throw new ExecutorRefused(
      'runtime_missing',
      `this sandbox is to run on ${runtime}: ${installing[runtime]}`,
    )
  }
  switch (runtime) {
    case 'crun':
      return [
        ...[program, '--cgroup-manager=disabled', '--root', runtimeRoot, '--log=file:crun.log'],
        ...['run', '--detach', '--preserve-fds=1', '--bundle', '.', id],
      ]
    case 'runsc':
      return [
        // systrap needs no machine that virtualizes, as KVM would.
        ...[program, '--platform=systrap', '--ignore-cgroups', '--root', runtimeRoot, '--log=runsc.log'],
        // Writes go to the mounts that the shim has bounded, not to a layer of gVisor's own; files are opened by a process
        // beside the one that runs the program.
        ...['--overlay2=none', '--directfs=false'],
        // The filter of system calls holds inside too, and keeps programs from most of gVisor's own code.
        ...['--oci-seccomp', `--network=${network === 'none' ? 'none' : 'sandbox'}`],
        ...['run', '--bundle', '.', id],
      ]
  }
}
