import { type ChildProcess, execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { spawnBound } from '../../bound-process.ts'

const run = promisify(execFile)

/** Addresses of the test machine, and of the public hosts that it can reach. */
export const machine = { ip4: '203.0.114.2', ip6: '2a00:1450::2', private4: '10.1.2.3' }
export const publicHosts = { ip4: '8.8.8.8', other4: '1.1.1.1', ip6: '2606:4700:4700::1111' }

/**
 * Two network namespaces: a machine to run a host agent on, and a public network, where real servers listen on every address
 * that a test names. Neither is connected to the real network.
 */
export class FakeInternet {
  readonly #id = randomBytes(3).toString('hex')
  readonly #servers: ChildProcess[] = []
  /** Contacts of public servers: `tcp 80 8.8.8.8`. */
  readonly contacts: string[] = []
  /** Contacts of the machine itself. */
  readonly machineContacts: string[] = []

  readonly #names: Readonly<Record<string, string>>

  private constructor(names: Readonly<Record<string, string>>) {
    this.#names = names
  }

  /** `extra` addresses are reachable too, as if the machine's routes led there; `names` resolve to their addresses. */
  static async make(
    extra: string[] = [],
    names: Readonly<Record<string, string>> = {},
  ): Promise<FakeInternet> {
    const internet = new FakeInternet(names)
    await internet.#make([...new Set([...extra, ...Object.values(names)])])
    return internet
  }

  /** Command prefix to run in the public network. */
  get beyond(): string[] {
    return ['nsenter', `--net=/run/netns/sbj-beyond-${this.#id}`]
  }

  get machineNamespace(): string {
    return `/run/netns/sbj-machine-${this.#id}`
  }

  /** Command prefix to run on the machine. */
  get onMachine(): string[] {
    return ['nsenter', `--net=${this.machineNamespace}`]
  }

  /** Output of a command on the machine. */
  async machineRun(...words: string[]): Promise<string> {
    const [program = '', ...rest] = [...this.onMachine, ...words]
    return (await run(program, rest)).stdout
  }

  /** Leads HTTPS connections to these addresses of the public network to a server on another port. */
  async serveHttps(addresses: string[], port: number): Promise<void> {
    const rule = `ip daddr { ${addresses.join(', ')} } tcp dport 443 redirect to :${port}`
    const chain = `chain in { type nat hook prerouting priority dstnat; ${rule}; }`
    const [, namespace = ''] = this.beyond
    await run('nsenter', [namespace, 'nft', `table ip https { ${chain}; }`])
  }

  async dispose(): Promise<void> {
    for (const server of this.#servers) server.kill('SIGKILL')
    for (const name of ['machine', 'beyond']) await ip(`netns delete sbj-${name}-${this.#id}`)
  }

  async #make(extra: string[]): Promise<void> {
    const [here, there] = [`sbj-machine-${this.#id}`, `sbj-beyond-${this.#id}`]
    await ip(`netns add ${here}`)
    await ip(`netns add ${there}`)
    await ip(`-n ${here} link add name way-out type veth peer name machine netns ${there}`)
    for (const [namespace, device] of [
      [here, 'way-out'],
      [there, 'machine'],
    ] as const) {
      await ip(`-n ${namespace} link set dev lo up`)
      await ip(`-n ${namespace} link set dev ${device} up`)
    }
    const onMachine = [`${machine.ip4}/24`, `${machine.private4}/8`, `${machine.ip6}/64 nodad`]
    for (const address of onMachine) await ip(`-n ${here} address add ${address} dev way-out`)
    for (const address of ['203.0.114.1/24', '2a00:1450::1/64 nodad']) {
      await ip(`-n ${there} address add ${address} dev machine`)
    }
    for (const address of [...Object.values(publicHosts), ...extra]) await this.#reachable(address)
    await ip(`-n ${here} route add default via 203.0.114.1`)
    await ip(`-n ${here} -6 route add default via 2a00:1450::1`)
    await this.machineRun('sh', '-c', 'echo 1 >/proc/sys/net/ipv6/conf/all/forwarding')
    await this.#serve(there, this.contacts)
    await this.#serve(here, this.machineContacts)
  }

  async #reachable(address: string): Promise<void> {
    const [here, there] = [`sbj-machine-${this.#id}`, `sbj-beyond-${this.#id}`]
    const isIp6 = address.includes(':')
    await ip(`-n ${there} address add ${address}/${isIp6 ? '128 nodad' : '32'} dev lo`)
    const route = isIp6 ? `-6 route add ${address} via 2a00:1450::1` : `route add ${address} via 203.0.114.1`
    await ip(`-n ${here} ${route}`)
  }

  async #serve(namespace: string, contacts: string[]): Promise<void> {
    const program = join(import.meta.dirname, 'public-servers.ts')
    const names = JSON.stringify(this.#names)
    const server = spawnBound([
      ...['nsenter', `--net=/run/netns/${namespace}`],
      ...[process.execPath, program, names],
    ])
    this.#servers.push(server)
    const ready = Promise.withResolvers<void>()
    createInterface(server.stdout).on('line', (line) => {
      if (line === 'ready') ready.resolve()
      else contacts.push(line)
    })
    server.once('exit', () => ready.reject(new Error(`the servers in ${namespace} ended`)))
    await ready.promise
  }
}

const ip = (words: string) => run('ip', words.split(' '))
