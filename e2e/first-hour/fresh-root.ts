import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeDebianRoot, rootEnvironment } from './debian-root.ts'

const run = promisify(execFile)
const maxBuffer = 64 * 1024 ** 2

export interface Printed {
  code: number
  text: string
}

/**
 * A new Debian root without anything of ours, in its own mount and process namespaces, with a clone of this checkout in
 * `/sandbox-jobs`. The network is the machine's.
 */
export class FreshRoot {
  readonly folder: string
  readonly #holder: ChildProcess
  readonly #pid: number

  private constructor(folder: string, holder: ChildProcess, pid: number) {
    this.folder = folder
    this.#holder = holder
    this.#pid = pid
  }

  static async make(suite: string): Promise<FreshRoot> {
    const folder = await mkdtemp(join(tmpdir(), 'first-hour-'))
    await makeDebianRoot(folder, suite)
    await mkdir(join(folder, 'proc'), { recursive: true })
    const script = `
      mount --make-rprivate / && mount --bind "$1" "$1" && cd "$1" || exit 1
      mount -t proc proc proc || exit 1
      mount --rbind /sys sys && mount --rbind /dev dev && mount -t tmpfs tmpfs tmp || exit 1
      # Not chroot: a process in one may make no user namespaces.
      mkdir -p .before && pivot_root . .before && cd / && umount --lazy /.before && rmdir /.before || exit 1
      echo ready
      exec sleep infinity`
    const holder = spawn(
      'unshare',
      ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'sh', folder],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    await Promise.race([
      once(holder.stdout, 'data'),
      once(holder, 'exit').then(() => Promise.reject(new Error('no root'))),
    ])
    const children = await readFile(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8')
    return new FreshRoot(folder, holder, Number(children.trim()))
  }

  /** Runs a command in the checkout of the root, as a person at a terminal without settings of ours. */
  async command(...argv: string[]): Promise<Printed> {
    const inside = ['sh', '-c', 'cd /sandbox-jobs && exec "$@"', 'sh', ...argv]
    const words = ['--target', String(this.#pid), '--mount', '--pid', '--root', '--', ...inside]
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...rootEnvironment }
    return printed('nsenter', words, { env, cwd: '/' })
  }

  readFile(path: string): Promise<string> {
    return readFile(join(this.folder, path), 'utf8')
  }

  async dispose(): Promise<void> {
    this.#holder.kill('SIGKILL')
    await once(this.#holder, 'exit')
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 })
  }
}

/** Runs a program to its end. */
export async function printed(
  program: string,
  argv: string[],
  options: { env: NodeJS.ProcessEnv; cwd?: string },
): Promise<Printed> {
  try {
    const { stdout, stderr } = await run(program, argv, { ...options, maxBuffer })
    return { code: 0, text: stdout + stderr }
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string }
    return { code: typeof code === 'number' ? code : -1, text: `${stdout}${stderr}` }
  }
}
