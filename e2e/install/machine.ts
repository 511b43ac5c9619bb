import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeDebianRoot, rootEnvironment } from '../first-hour/debian-root.ts'
import { type Printed, printed } from '../first-hour/fresh-root.ts'

const packages = 'dbus iproute2 procps systemd systemd-sysv'.split(' ')
const pauseMs = 200

/** Gives a container the parts of a machine that it lacks: control groups and settings that can be written, and loop devices. */
const asMachine = `
for folder in $(sed -n 's|^[^ ]* [^ ]* [^ ]* [^ ]* \\(/sys/fs/cgroup[^ ]*\\) .*|\\1|p' /proc/self/mountinfo) /sys; do
  mount -o remount,bind,rw "$folder" || exit
done
mknod /dev/loop-control c 10 237 || exit
for number in 0 1 2 3 4 5 6 7; do mknod /dev/loop$number b 7 $number || exit; done`

/** A new Debian with a systemd of its own and the kernel and the network of this machine. A clone of this checkout is in `/sandbox-jobs`. */
export class Machine {
  readonly folder: string
  readonly #nspawn: ChildProcess
  #init = 0

  private constructor(folder: string, nspawn: ChildProcess) {
    this.folder = folder
    this.#nspawn = nspawn
  }

  static async start(suite: string): Promise<Machine> {
    // On disk: /tmp may be memory.
    const folder = await mkdtemp('/var/tmp/install-tests-')
    await makeDebianRoot(folder, suite, packages)
    const options = [
      ...['--quiet', `--directory=${folder}`, `--machine=${folder.split('/').at(-1)}`],
      ...['--register=no', '--keep-unit', '--link-journal=no', '--resolv-conf=off', '--console=pipe'],
      ...['--capability=all', '--system-call-filter=@mount @privileged @raw-io @keyring bpf perf_event_open'],
      // Systemd of Debian 13 uses version 1 of control groups only with this variable.
      ...['--setenv=SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1', '--boot'],
    ]
    const nspawn = spawn('systemd-nspawn', options, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, SYSTEMD_NSPAWN_API_VFS_WRITABLE: '1' },
    })
    const machine = new Machine(folder, nspawn)
    try {
      await machine.#waitForSystemd()
      const { code, text } = await machine.command('sh', '-c', asMachine)
      if (code !== 0) throw new Error(text)
      return machine
    } catch (error) {
      await machine.dispose()
      throw error
    }
  }

  /** Runs a command as root on the machine. */
  command(...argv: string[]): Promise<Printed> {
    const env = {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      DEBIAN_FRONTEND: 'noninteractive',
      ...rootEnvironment,
    }
    return printed('nsenter', ['--target', String(this.#init), '--all', '--', ...argv], { env, cwd: '/' })
  }

  /** Runs a command that has to succeed, and returns what it printed. */
  async must(...argv: string[]): Promise<string> {
    const { code, text } = await this.command(...argv)
    if (code !== 0) throw new Error(`${argv.join(' ')} ends with ${code}:\n${text}`)
    return text
  }

  async dispose(): Promise<void> {
    const { exitCode, signalCode } = this.#nspawn
    if (exitCode === null && signalCode === null) {
      const ended = once(this.#nspawn, 'exit')
      // Its processes die with the first one.
      if (this.#init > 0) process.kill(this.#init, 'SIGKILL')
      else this.#nspawn.kill('SIGTERM')
      await ended
    }
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 })
  }

  async #waitForSystemd(): Promise<void> {
    for (;;) {
      if (this.#nspawn.exitCode !== null) throw new Error('the machine does not start')
      const text = await readFile(`/proc/${this.#nspawn.pid}/task/${this.#nspawn.pid}/children`, 'utf8')
      this.#init = Number(text.trim().split(' ')[0])
      if (this.#init > 0) {
        const { text: state } = await this.command('systemctl', 'is-system-running')
        if (/running|degraded/.test(state)) return
      }
      await sleep(pauseMs)
    }
  }
}

/** The path of a file of the machine, as this one sees it. */
export const pathOn = (machine: Machine, path: string): string => join(machine.folder, path)
