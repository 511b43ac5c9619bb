import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ExecutorRefused } from '../port.ts'
import { seccompProfile } from './seccomp.ts'

/** The filters of system calls as the kernel takes them, in base64. */
export type CompiledFilters = Record<'job' | 'build', string>

interface Place {
  /** A platform layer, for a root. */
  layer: string
  /** Of the agent's own, where nobody else enters; it is gone afterwards. */
  folder: string
}

/**
 * crun would make a filter of the profile anew for each sandbox. Here it does so once for each profile, for a container
 * that does nothing, and that is given to every sandbox: byte for byte what it would have made. Refuses when it makes none.
 */
export async function compileFilters(crun: string, { layer, folder }: Place): Promise<CompiledFilters> {
  await rm(folder, { recursive: true, force: true })
  try {
    const compile = (kind: 'job' | 'build') => compileIn(join(folder, kind), crun, doNothing(layer, kind))
    return { job: await compile('job'), build: await compile('build') }
  } catch (error) {
    const told = (error as Error).message
    throw new ExecutorRefused('filter', `crun cannot make the filter of system calls: ${told}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** crun 1.8 refuses the hybrid layout of control groups. For a mount namespace of its own. */
const script = 'umount -l /sys/fs/cgroup/unified 2>/dev/null || :; exec "$@"'
const timeoutMs = 10_000
const name = 'filter'

/** crun has its filter in a file for as long as the container lives, which is until its input ends. */
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

const doNothing = (layer: string, kind: 'job' | 'build'): object => ({
  ociVersion: '1.0.0',
  root: { path: layer, readonly: true },
  process: {
    args: ['/.sandbox/busybox', 'sh', '-c', 'echo begun; read -r _'],
    env: ['HOME=/'],
    cwd: '/',
    user: { uid: 0, gid: 0 },
    noNewPrivileges: true,
  },
  // Otherwise crun would make its devices in the layer.
  mounts: [
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'noexec', 'size=64k'] },
  ],
  linux: {
    namespaces: [{ type: 'mount' }, { type: 'pid' }],
    seccomp: seccompProfile({ confinement: kind, arch: process.arch, runtime: 'crun' }),
  },
})
