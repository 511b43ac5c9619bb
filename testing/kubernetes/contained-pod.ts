import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import type { KubernetesObject } from '../../kubernetes/api/objects.ts'
import { LoneNamespace } from '../agent/internet/lone-namespace.ts'
import type { FakeCluster } from './fake-cluster.ts'
import { killBelow, makePodRoot, podUser } from './pod-root.ts'

interface Container {
  name: string
  env?: { name: string; value: string }[]
}

/**
 * Both programs of a pod, as its manifest names them, without a cluster: each in its own process namespace and as the same user without
 * rights. Their network namespace has nothing but a way to the gateway.
 */
export class ContainedPod {
  readonly #network: LoneNamespace
  readonly #root = makeRoot()
  readonly #way: Server
  readonly #children: ChildProcess[] = []

  private constructor(network: LoneNamespace, gatewayPort: number) {
    this.#network = network
    this.#way = createServer((socket) => {
      const to = connect(gatewayPort, '127.0.0.1')
      for (const end of [socket, to]) end.on('error', () => {})
      socket.pipe(to).pipe(socket)
    })
  }

  /** Starts the pod of this manifest. The caller disposes of it. */
  static async start(cluster: FakeCluster, pod: KubernetesObject): Promise<ContainedPod> {
    const { containers } = pod.spec as { containers: Container[] }
    const env = containers.find(({ name }) => name === 'collector')?.env ?? []
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]))
    const port = Number(variables.SANDBOX_GATEWAY?.split(' ')[1])
    const made = new ContainedPod(await LoneNamespace.make([]), port)
    await made.#openWay(port)
    writeFileSync(join(made.#root, 'token/token'), cluster.token(pod))
    const job = made.#start(['token', 'record'], '/.sandbox/init', {})
    const collector = made.#start([], '/.sandbox/collector', { ...variables, SANDBOX_BOUNDARY: 'none' })
    void Promise.all([job, collector]).then(() => cluster.setStatus(pod.metadata, { phase: 'Succeeded' }))
    return made
  }

  /** A connection to the gateway's address in the namespace of the pod comes out at the gateway. */
  async #openWay(port: number): Promise<void> {
    const path = join(this.#root, 'way')
    await new Promise<void>((resolve) => this.#way.listen(path, resolve))
    const program = `const n=require('net');n.createServer(s=>{const u=n.connect(${JSON.stringify(path)});for(const e of [s,u])e.on('error',()=>{});s.pipe(u).pipe(s)}).listen(${port},'127.0.0.1',()=>console.log('ready'))`
    const words = [`--net=${this.#network.path}`, process.execPath, '-e', program]
    const relay = spawn('setpriv', ['--pdeathsig', 'KILL', 'nsenter', ...words], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#children.push(relay)
    await once(relay.stdout, 'data')
  }

  async #start(hidden: string[], program: string, env: Record<string, string>): Promise<void> {
    const steps = [
      ...hidden.map((name) => `mount -t tmpfs none ${this.#root}/${name}`),
      `mount --rbind /dev ${this.#root}/dev`,
      `mount -t proc proc ${this.#root}/proc`,
      `exec chroot --userspec=${podUser}:${podUser} ${this.#root} ${program}`,
    ]
    const child = spawn(
      'setpriv',
      [
        ...['--pdeathsig', 'KILL', 'nsenter', `--net=${this.#network.path}`],
        ...['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', steps.join(' && ')],
      ],
      { env: { PATH: process.env.PATH ?? '', ...env }, stdio: ['ignore', 'inherit', 'inherit'] },
    )
    this.#children.push(child)
    await once(child, 'exit')
  }

  dispose(): void {
    for (const child of this.#children) {
      killBelow(child)
      child.kill('SIGKILL')
    }
    this.#way.close()
    this.#network.dispose()
    execFileSync('sh', ['-c', `umount --lazy ${this.#root}/workspace`])
    rmSync(this.#root, { recursive: true })
  }
}

/** Its workspace is of the size that the jobs of the conformance suite have. */
function makeRoot(): string {
  const root = makePodRoot()
  const options = `size=8m,mode=755,uid=${podUser},gid=${podUser}`
  execFileSync('sh', ['-c', `mount -t tmpfs -o ${options} none ${root}/workspace`])
  return root
}
