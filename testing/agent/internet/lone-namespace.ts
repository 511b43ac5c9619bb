import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { spawnBound } from '../../bound-process.ts'

/** For tests: a network namespace with IPv4 addresses on its loopback device, connected to nothing. */
export class LoneNamespace {
  readonly path: string
  readonly #holder: ChildProcess

  private constructor(holder: ChildProcess) {
    this.#holder = holder
    this.path = `/proc/${holder.pid}/ns/net`
  }

  static async make(addresses: readonly string[]): Promise<LoneNamespace> {
    const steps = ['ip link set lo up', ...addresses.map((address) => `ip address add ${address}/32 dev lo`)]
    const script = `${steps.join(' && ')} && echo ready && exec sleep infinity`
    const holder = spawnBound(['unshare', '--net', 'sh', '-c', script])
    const [event] = await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')])
    if (!Buffer.isBuffer(event)) throw new Error('the namespace cannot be made')
    return new LoneNamespace(holder)
  }

  /** Output of a command in it. */
  async run(...words: string[]): Promise<string> {
    return (await promisify(execFile)('nsenter', [`--net=${this.path}`, ...words])).stdout
  }

  dispose(): void {
    this.#holder.kill('SIGKILL')
  }
}
