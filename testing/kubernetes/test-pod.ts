import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LoneNamespace } from '../agent/internet/lone-namespace.ts'
import { makeCertificate } from '../certificate.ts'
import { FakeGateway } from './fake-gateway.ts'
import { killBelow, makePodRoot, podUser as user } from './pod-root.ts'

const port = 7443

/**
 * Both programs of a pod without a cluster: each in its own process namespace and as the same user without rights, with one network namespace in
 * which a gateway listens.
 */
export class TestPod {
  readonly #network: LoneNamespace
  readonly #root: string
  readonly #authority: string
  readonly #processes: ChildProcess[] = []
  readonly #jobs: ChildProcess[] = []
  readonly #ends: Promise<unknown>[] = []
  readonly gateway: FakeGateway

  private constructor(network: LoneNamespace, root: string, authority: string, gateway: FakeGateway) {
    this.#network = network
    this.#root = root
    this.#authority = authority
    this.gateway = gateway
  }

  static async make({ host = 'sandbox-gateway' }: { host?: string } = {}): Promise<TestPod> {
    const network = await LoneNamespace.make([])
    const { certificate, key } = makeCertificate(1, host)
    const words = ['nsenter', `--net=${network.path}`]
    const gateway = await FakeGateway.start(words, { address: '127.0.0.1', port, certificate, key })
    return new TestPod(network, podRootWithToken(), certificate, gateway)
  }

  /** Starts the collector; resolves with its exit code. */
  collect(settings: Record<string, string> = {}): Promise<number | null> {
    return this.#start([], ['/.sandbox/collector'], {
      SANDBOX_ID: 'run_1',
      SANDBOX_GATEWAY: `127.0.0.1 ${port}`,
      SANDBOX_CANARY: `127.0.0.1 ${port + 1}`,
      SANDBOX_GATEWAY_AUTHORITY: this.#authority,
      SANDBOX_BOUNDARY: 'none',
      ...settings,
    })
  }

  /** Starts process 1 of the job, or another program in its place; resolves with its exit code. */
  job(words = ['/.sandbox/init']): Promise<number | null> {
    // It has no volume but the workspace.
    const hidden = ['token', 'record'].map((name) => `mount -t tmpfs none ${this.#root}/${name}`)
    return this.#start(hidden, words, {
      KUBERNETES_SERVICE_HOST: '10.0.0.1',
      OF_THE_IMAGE: 'tenant-value',
    })
  }

  /** Kills the job's container. */
  killJob(): void {
    for (const job of this.#jobs) killBelow(job)
  }

  /** A device with the address 10.9.9.1, whose neighbour 10.9.9.9 takes all and answers nothing. */
  async addDevice(): Promise<void> {
    await this.#network.run('sh', '-c', 'echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6')
    await this.#network.run('ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'peer0')
    await this.#network.run('ip', 'address', 'add', '10.9.9.1/24', 'dev', 'eth0')
    for (const device of ['eth0', 'peer0']) await this.#network.run('ip', 'link', 'set', device, 'up')
    await this.#network.run(
      'ip',
      'neighbour',
      'add',
      '10.9.9.9',
      'lladdr',
      '02:00:00:00:00:01',
      'dev',
      'eth0',
    )
  }

  async #start(steps: string[], words: string[], env: Record<string, string>): Promise<number | null> {
    const mounts = [...steps, `mount --rbind /dev ${this.#root}/dev`, `mount -t proc proc ${this.#root}/proc`]
    const script = `${mounts.join(' && ')} && exec chroot --userspec=${user}:${user} ${this.#root} "$@"`
    const child = spawn(
      'setpriv',
      [
        ...['--pdeathsig', 'KILL', 'nsenter'],
        `--net=${this.#network.path}`,
        ...['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, 'sh', ...words],
      ],
      { env: { PATH: process.env.PATH ?? '', ...env }, stdio: ['ignore', 'inherit', 'inherit'] },
    )
    this.#processes.push(child)
    if (words[0] !== '/.sandbox/collector') this.#jobs.push(child)
    const end = once(child, 'exit')
    this.#ends.push(end)
    const [code] = (await end) as [number | null]
    return code
  }

  /** A file that the job has left in its workspace. */
  file(path: string): Buffer {
    return readFileSync(join(this.#root, 'workspace', path))
  }

  async dispose(): Promise<void> {
    for (const child of this.#processes) {
      killBelow(child)
      child.kill('SIGKILL')
    }
    await Promise.all(this.#ends)
    await this.gateway.stop()
    this.#network.dispose()
    rmSync(this.#root, { recursive: true })
  }
}

function podRootWithToken(): string {
  const root = makePodRoot()
  writeFileSync(join(root, 'token/token'), 'the-token-of-the-pod')
  return root
}
