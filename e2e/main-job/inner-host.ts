import { execFile } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { promisify } from 'node:util'

const run = promisify(execFile)
const ip = async (words: string) => (await run('ip', words.split(' '))).stdout

const networks = 256 * 64

/** A host in the operator's own network: a network namespace with an inner address that is not one of this machine. */
export class InnerHost {
  readonly #namespace: string
  /** This machine's address in the network of the host. */
  readonly here: string
  /** The address of the host. */
  readonly address: string

  private constructor(namespace: string, first: string, last: number) {
    this.#namespace = namespace
    this.here = `${first}.${last + 1}`
    this.address = `${first}.${last + 2}`
  }

  /** Its network is not one that this machine has a route to, such as that of a host which a killed test has left. */
  static async make(): Promise<InnerHost> {
    const known = new Set((await ip('route')).split(/\s/))
    for (let tried = 0; tried < networks; tried += 1) {
      const [first, last] = [`10.213.${randomInt(256)}`, randomInt(64) * 4]
      if (known.has(`${first}.${last}/30`)) continue
      // The namespace has the name of the device on this machine, which may have fifteen characters.
      const host = new InnerHost(`inner-${randomBytes(4).toString('hex')}`, first, last)
      await host.#connect()
      return host
    }
    throw new Error('this machine has routes to all networks of test hosts')
  }

  /** Command prefix that runs a program on the host. */
  get onHost(): string[] {
    return ['nsenter', `--net=/run/netns/${this.#namespace}`]
  }

  async dispose(): Promise<void> {
    await ip(`netns delete ${this.#namespace}`)
  }

  async #connect(): Promise<void> {
    const name = this.#namespace
    await ip(`netns add ${name}`)
    await ip(`link add name ${name} type veth peer name up netns ${name}`)
    await ip(`address add ${this.here}/30 dev ${name}`)
    await ip(`link set dev ${name} up`)
    await ip(`-n ${name} address add ${this.address}/30 dev up`)
    await ip(`-n ${name} link set dev up up`)
    await ip(`-n ${name} link set dev lo up`)
  }
}
