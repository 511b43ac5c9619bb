import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eachLine } from '../../server/base/each-line.ts'
import { mirrorProxyUid } from './mirror-address.ts'
import type { ProxyRequest } from './mirror-proxy-main.ts'

const program = fileURLToPath(new URL('./mirror-proxy-main.ts', import.meta.url))
const agentFolder = resolve(import.meta.dirname, '..')
const baseFolder = resolve(import.meta.dirname, '../../server/base')
const maxOpenFiles = 16_384

/**
 * The proxy's command: no capability, no way to gain one, no file but the program and the system's certificate authorities,
 * and no network but that of the router's namespace.
 */
const command = (namespace: string): string[] => [
  ...['nsenter', `--net=${namespace}`],
  ...['prlimit', '--core=0', `--nofile=${maxOpenFiles}`],
  ...['setpriv', `--reuid=${mirrorProxyUid}`, `--regid=${mirrorProxyUid}`, '--clear-groups'],
  ...['--inh-caps=-all', '--bounding-set=-all', '--no-new-privs', '--pdeathsig=KILL'],
  process.execPath,
  ...['--use-system-ca', '--max-old-space-size=128', '--max-semi-space-size=4'],
  ...['--disable-sigusr1', '--disallow-code-generation-from-strings', '--permission'],
  ...[agentFolder, baseFolder, dirname(program), '/etc/ssl', '/usr/share/ca-certificates'].map(
    (path) => `--allow-fs-read=${path}`,
  ),
  program,
]

/** One process of the mirror proxy (mirror-proxy-main.ts). After it has ended every call fails. */
export class MirrorProxy {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #pending: PromiseWithResolvers<string>[] = []
  readonly ready: Promise<unknown>
  #isGone = false

  constructor(namespace: string) {
    const [first = '', ...rest] = command(namespace)
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
    this.#child = spawn(first, rest, { env, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] })
    this.#child.stdin.on('error', () => undefined)
    this.#child.stderr.on('error', () => undefined).resume()
    this.#child.on('error', () => this.#end())
    this.#child.once('close', () => this.#end())
    eachLine(this.#child.stdout, (line) => this.#pending.shift()?.resolve(line))
    this.ready = this.#next()
    this.ready.catch(() => undefined)
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** Sends one request; answers come in order. */
  async request(request: ProxyRequest): Promise<unknown> {
    const answer = this.#next()
    this.#child.stdin.write(`${JSON.stringify(request)}\n`)
    return JSON.parse(await answer)
  }

  async stop(): Promise<void> {
    if (this.#isGone) return
    const ended = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.kill('SIGKILL')
    await ended
  }

  #next(): Promise<string> {
    const answer = Promise.withResolvers<string>()
    if (this.#isGone) answer.reject(gone())
    else this.#pending.push(answer)
    return answer.promise
  }

  #end(): void {
    this.#isGone = true
    for (const answer of this.#pending.splice(0)) answer.reject(gone())
  }
}

const gone = () => new Error('the mirror proxy has ended')
