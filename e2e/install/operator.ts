import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { requireParts } from '../first-hour/step.ts'
import { type Machine, pathOn } from './machine.ts'
import { room } from './waiting-task.ts'

const person = 'ada'
const pollMs = 200
export const dataFolder = '/var/lib/sandbox-jobs'
/** Part of the names that the service gives to its network and its control groups, made from the path of its data folder. */
export const ownName = createHash('sha256').update(dataFolder).digest('hex').slice(0, 8)
const ready = ['curl', '--silent', '--fail']

/** Keep changed settings, and sync no file: the machine is never turned off. */
const dpkgOptions = ['--force-confold', '--force-unsafe-io']

/** The command that installs a version of the package, also an earlier one. */
export const installing = (file: string): string[] => [
  ...['apt-get', 'install', '--yes', '--no-install-recommends', '--allow-downgrades'],
  ...dpkgOptions.flatMap((option) => ['-o', `Dpkg::Options::=${option}`]),
  file,
]

/** Acts of an operator of the service on the machine, by its `sandbox` command. */
export class Operator {
  readonly machine: Machine
  readonly port: number
  /** Of the person who deploys. */
  #password = ''

  constructor(machine: Machine, port: number) {
    this.machine = machine
    this.port = port
  }

  sandbox(...argv: string[]): Promise<string> {
    return this.machine.must('sandbox', ...argv)
  }

  /** Settings of their own: the machine shares the ports of the one that it runs on. */
  async writeSettings(): Promise<void> {
    await mkdir(pathOn(this.machine, '/etc/sandbox-jobs'), { mode: 0o755 })
    const settings = pathOn(this.machine, '/etc/sandbox-jobs/environment')
    await writeFile(settings, `SANDBOX_PORT=${this.port}\n`, { mode: 0o600 })
  }

  /** Installs another version of the package from a file of the machine. */
  async install(file: string): Promise<void> {
    await this.machine.must(...installing(file))
    await this.untilReady()
  }

  /** Installs a version of the package after an upgrade was killed, which apt-get refuses in some states. */
  async installAfterKill(file: string): Promise<void> {
    await this.machine.must('dpkg', ...dpkgOptions, '--install', file)
    await this.untilReady()
  }

  async exists(path: string): Promise<boolean> {
    return (await this.machine.command('test', '-e', path)).code === 0
  }

  /** The builder, the example company, and a task that counts words, or waits for an hour. */
  async deploy(): Promise<void> {
    await this.sandbox('operator', 'toolchain', 'install')
    const examples = '/usr/share/doc/sandbox-jobs/examples'
    const applied = JSON.parse(
      await this.sandbox('admin', 'apply', '--json', `${examples}/company.yaml`),
    ) as {
      passwords: { login: string; password: string }[]
    }
    this.#password = applied.passwords.find(({ login }) => login === person)?.password ?? ''
    await this.logIn()
    await this.machine.must('sh', '-c', `cd /root && sandbox init words --template shell --room ${room}`)
    const task = pathOn(this.machine, '/root/words/task.yaml')
    const hour = (await readFile(task, 'utf8')).replace(/^timeout_seconds: .*$/m, 'timeout_seconds: 3600')
    await writeFile(task, hour)
    const waits = `if grep -q '"wait"' "$SERVICE_INPUTS_FILE"; then exec sleep 3600; fi\n`
    const counts = `echo '{"counted":true}' >"$SERVICE_OUTPUT_FILE"\n`
    await writeFile(pathOn(this.machine, '/root/words/work.sh'), waits + counts)
    await this.machine.must('sh', '-c', 'cd /root/words && sandbox deploy')
  }

  /** Logs in at the API of a port; later commands go there. */
  async logIn(port = this.port): Promise<void> {
    const login = ['sandbox', 'login', '--user', person, '--url', `http://127.0.0.1:${port}`]
    await this.machine.must('env', `SANDBOX_PASSWORD=${this.#password}`, ...login)
  }

  async countWords(): Promise<void> {
    const text = await this.sandbox('run', 'words', '--room', room, '--set', 'text=one two', '--watch')
    requireParts(text, '"counted":true')
  }

  /** Waits until a unit of the service answers that all parts work. */
  async untilReady({ port = this.port, unit = 'sandbox-jobs.service' } = {}): Promise<void> {
    for (;;) {
      const { code } = await this.machine.command(...ready, `http://127.0.0.1:${port}/ready`)
      if (code === 0) return
      const { text } = await this.machine.command('systemctl', 'is-active', unit)
      if (/^(failed|inactive)/.test(text))
        throw new Error(`${text}${await this.machine.must('journalctl', '-u', 'sandbox-jobs*', '-u', unit)}`)
      await sleep(pollMs)
    }
  }

  /** Process id of the service. */
  mainProcess(): Promise<string> {
    return this.machine.must('systemctl', 'show', '--property=MainPID', 'sandbox-jobs.service')
  }

  /** Process ids of the programs of the waiting runs. */
  async waitingPrograms(): Promise<string> {
    return (await this.machine.command('pgrep', '--full', '--exact', 'sleep 3600')).text
  }

  /** Throws unless nothing of the service is left: processes, units, the network and the control groups of its runs. */
  async requireNothingLeft(): Promise<void> {
    const left = `
      pgrep --list-full --full '/(var|usr)/lib/sandbox-jobs/'
      systemctl list-units --no-legend --plain --state=active,activating,failed 'sandbox-jobs*'
      ls /run/sandbox-jobs-network 2>/dev/null
      ip -oneline link | grep -o 'sbj-${ownName}'
      find /sys/fs/cgroup -maxdepth 2 -name 'sandbox-jobs-${ownName}*'`
    const { text } = await this.machine.command('sh', '-c', left)
    if (text !== '') throw new Error(`left behind:\n${text}`)
  }
}
