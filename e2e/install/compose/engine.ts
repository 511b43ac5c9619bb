import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Printed, printed } from '../../first-hour/fresh-root.ts'
import { InnerHost } from '../../main-job/inner-host.ts'

const run = promisify(execFile)
const pauseMs = 200

/** A container engine of its own, on a host of its own that reaches what this machine reaches. */
export class Engine {
  readonly folder: string
  readonly host: InnerHost
  readonly #table: string
  #daemon: ChildProcess | undefined

  private constructor(folder: string, host: InnerHost) {
    this.folder = folder
    this.host = host
    this.#table = `compose_tests_${process.pid}`
  }

  static async start(): Promise<Engine> {
    // On disk, and in a file system that an overlay can lie above.
    const engine = new Engine(await mkdtemp('/var/tmp/compose-tests-'), await InnerHost.make())
    try {
      await engine.#connect()
      await engine.#startDaemon()
      return engine
    } catch (error) {
      await engine.dispose()
      throw error
    }
  }

  /** Runs a command of a client of the engine. */
  command(...argv: string[]): Promise<Printed> {
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: this.folder, DOCKER_HOST: this.#address }
    return printed('env', argv, { env, cwd: this.folder })
  }

  /** Runs a command that has to succeed, and returns what it printed. */
  async must(...argv: string[]): Promise<string> {
    const { code, text } = await this.command(...argv)
    if (code !== 0) throw new Error(`${argv.join(' ')} ends with ${code}:\n${text}`)
    return text
  }

  async dispose(): Promise<void> {
    const daemon = this.#daemon
    if (daemon && daemon.exitCode === null && daemon.signalCode === null) {
      const ended = once(daemon, 'exit')
      daemon.kill('SIGTERM')
      await ended
    }
    await run('nft', ['delete', 'table', 'ip', this.#table]).catch(() => undefined)
    await this.host.dispose()
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 })
  }

  get #address(): string {
    return `unix://${join(this.folder, 'engine.sock')}`
  }

  /** Gives the host a way to where this machine's packages come from. */
  async #connect(): Promise<void> {
    const { host } = this
    const [program = '', ...words] = [...host.onHost, ...`ip route add default via ${host.here}`.split(' ')]
    await run(program, words)
    const chain = 'chain out { type nat hook postrouting priority srcnat'
    await run('nft', [`table ip ${this.#table} { ${chain}; ip saddr ${host.address} masquerade; }; }`])
    await run('sysctl', ['--quiet', '--write', 'net.ipv4.ip_forward=1'])
  }

  async #startDaemon(): Promise<void> {
    const at = (name: string) => join(this.folder, name)
    await mkdir(at('state'))
    const folders = ['--data-root', at('data'), '--exec-root', at('state'), '--pidfile', at('pid')]
    const [program = '', ...words] = [...this.host.onHost, 'dockerd', '--host', this.#address, ...folders]
    const daemon = spawn(program, words, { stdio: ['ignore', 'ignore', 'ignore'] })
    this.#daemon = daemon
    for (;;) {
      if (daemon.exitCode !== null) throw new Error('the container engine does not start')
      if ((await this.command('docker', 'version')).code === 0) return
      await sleep(pauseMs)
    }
  }
}
