import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ExecutorRefused } from '../port/errors.ts'
import { seccompProfile } from './seccomp.ts'

/** The system call filters in the kernel's format, in base64. */
export type CompiledFilters = Record<'job' | 'build', string>

interface FilterBuildFolders {
  /** A platform layer, used as root. */
  layer: string
  /** A private folder of the agent; it is removed afterwards. */
  folder: string
}

/**
 * crun would compile the profile for each sandbox. Here it compiles each profile once, for an idle container, and every
 * sandbox on crun or the launcher gets this filter, byte for byte what crun would have made. Refuses with `filter` if crun makes none.
 */
export async function compileFilters(
  crun: string,
  { layer, folder }: FilterBuildFolders,
): Promise<CompiledFilters> {
  await rm(folder, { recursive: true, force: true })
  try {
    const compile = (kind: 'job' | 'build') => compileIn(join(folder, kind), crun, idleContainer(layer, kind))
    return { job: await compile('job'), build: await compile('build') }
  } catch (error) {
    const message = (error as Error).message
    throw new ExecutorRefused('filter', `crun cannot make the filter of system calls: ${message}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** crun 1.8 refuses the hybrid layout of control groups, so it is unmounted in a private mount namespace. */
const script = 'umount -l /sys/fs/cgroup/unified 2>/dev/null || :; exec "$@"'
const timeoutMs = 10_000
const name = 'filter'

/** crun keeps its filter in a file while the container lives, which is until its input ends. */
async function compileIn(folder: string, crun: string, config: object): Promise<string> {
  const state = join(folder, 'state')
  await mkdir(state, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, 'config.json'), JSON.stringify(config))
  const words = ['--cgroup-manager=disabled', '--root', state, 'run', '--bundle', folder, name]
  const child = spawn(
    '/usr/bin/unshare',
    ['--mount', '--propagation', 'private', '/bin/sh', '-c', script, 'sh', crun, ...words],
    { env: {}, cwd: '/', timeout: timeoutMs, killSignal: 'SIGKILL' },
  )
  child.stdin.on('error', () => undefined)
  const said = text(child.stderr)
  const ended = once(child, 'close')
  try {
    await Promise.race([once(child.stdout, 'data'), ended])
    return await readFile(join(state, name, 'seccomp.bpf'), 'base64')
  } catch (error) {
    child.stdin.end()
    throw new Error((await said).split('\n')[0] || (error as Error).message)
  } finally {
    child.stdin.end()
    await ended
  }
}

const idleContainer = (layer: string, kind: 'job' | 'build'): object => ({
  ociVersion: '1.0.0',
  root: { path: layer, readonly: true },
  process: {
    args: ['/.sandbox/busybox', 'sh', '-c', 'echo started; read -r _'],
    env: ['HOME=/'],
    cwd: '/',
    user: { uid: 0, gid: 0 },
    noNewPrivileges: true,
  },
  // Without it crun would make its devices in the layer.
  mounts: [
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'noexec', 'size=64k'] },
  ],
  linux: {
    namespaces: [{ type: 'mount' }, { type: 'pid' }],
    seccomp: seccompProfile({ confinement: kind, arch: process.arch, runtime: 'crun' }),
  },
})
