import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { folderBytes } from '../../agent/port/folder-entries.ts'
import type { KubernetesObject } from '../../kubernetes/api/objects.ts'
import { lostExit, type PodExit } from '../../kubernetes/records/pod-exit.ts'
import type { FakeOutcome, FakeProgram } from '../fake-executor/fake-executor.ts'
import { clusterJob } from './cluster-job.ts'
import { type CollectedInput, readInput } from './collected-input.ts'
import { type Answer, CollectorClient } from './collector-client.ts'
import type { FakeCluster } from './fake-cluster.ts'

const triesMax = 200
const pause = () => new Promise((resolve) => setTimeout(resolve, 20))

interface Container {
  name: string
  env?: { name: string; value: string }[]
}

/**
 * The programs of a pod, in this process: it speaks the wire of the gateway as a collector does, and runs a scripted program. Its steps can be
 * taken one by one.
 */
export class FakePod {
  readonly id: string
  readonly path: string
  readonly client: CollectorClient
  readonly credential = randomBytes(32).toString('hex')
  readonly #pod: KubernetesObject
  readonly #cluster: FakeCluster
  readonly #stop = new AbortController()

  constructor(cluster: FakeCluster, pod: KubernetesObject) {
    const { containers } = pod.spec as { containers: Container[] }
    const env = containers.find(({ name }) => name === 'collector')?.env ?? []
    const of = (name: string) => env.find((one) => one.name === name)?.value ?? ''
    const [address = '', port] = of('SANDBOX_GATEWAY').split(' ')
    this.id = of('SANDBOX_ID')
    this.path = `/runner/v1/${pod.metadata.name}`
    this.client = new CollectorClient({ address, port: Number(port) }, of('SANDBOX_GATEWAY_AUTHORITY'))
    this.#pod = pod
    this.#cluster = cluster
  }

  async redeem(credential = this.credential) {
    const body = Buffer.from(JSON.stringify({ credential }))
    return this.client.ask('POST', `${this.path}/redeem`, {
      bearer: this.#cluster.token(this.#pod),
      body,
    })
  }

  /** With the collector's credential. A connection that breaks is made again. */
  async ask(method: string, word: string, body?: Buffer): Promise<Answer> {
    const options = { bearer: this.credential, ...(body && { body }) }
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.client.ask(method, `${this.path}/${word}`, options)
      } catch (error) {
        if (tries === triesMax) throw error
        await pause()
      }
    }
  }

  async input(): Promise<CollectedInput | string> {
    const answer = await this.client.open('GET', `${this.path}/input`, { bearer: this.credential })
    if (answer.statusCode === 200) return readInput(answer)
    return String((JSON.parse(await text(answer)) as { error: unknown }).error)
  }

  /** From the redemption to the exit record. */
  async run(program: FakeProgram): Promise<void> {
    try {
      let redeemed = await this.redeem()
      for (let tries = 0; redeemed.status === 503 && tries < triesMax; tries += 1) {
        await pause()
        redeemed = await this.redeem()
      }
      if (redeemed.status !== 200) return this.#end()
      const input = await this.input()
      if (typeof input === 'string' || !input.input)
        await this.exit(lostExit(clusterJob(this.id), 'input_cut', new Date()))
      else await this.#execute(program, input, input.input)
      this.#end()
    } finally {
      this.client.close()
    }
  }

  async #execute(program: FakeProgram, start: CollectedInput, input: Buffer): Promise<void> {
    await this.ask('POST', 'started')
    const spec = { ...clusterJob(this.id), argv: start.argv }
    const startedAtMs = Date.now()
    let log = ''
    const masked = (all: string) =>
      start.masked.reduce((now, value) => now.replaceAll(value, '[masked]'), all)
    const obeying = this.#obey(() => masked(log))
    const deadline = AbortSignal.timeout(start.timeoutMs)
    const ends = AbortSignal.any([deadline, this.#stop.signal])
    const killed = new Promise<undefined>((resolve) => {
      if (ends.aborted) resolve(undefined)
      ends.addEventListener('abort', () => resolve(undefined), { once: true })
    })
    const print = (all: string) => {
      log = all
    }
    const outcome = await Promise.race([program(spec, input, ends, print), killed])
    const cause = outcome ? 'exited' : deadline.aborted ? 'deadline' : 'stopped'
    const all = masked(outcome?.log ?? log)
    const exit = await this.#upload(start, { ...outcome, log: all })
    this.#stop.abort()
    await obeying
    const { exitCode = 0, workspaceFull = false, cpuMs = 0, peakMemoryBytes = 0 } = outcome?.exit ?? {}
    await this.exit({
      ...{ ...exit, cause, exitCode: outcome ? Number(exitCode) : -1, workspaceFull, cpuMs, peakMemoryBytes },
      ...{ startedAtMs, endedAtMs: Date.now() },
    })
  }

  /** Polls for orders until the program has ended. */
  async #obey(log: () => string): Promise<void> {
    let [stop, follow, from] = [0, 0, 0]
    while (!this.#stop.signal.aborted) {
      const ended = new Promise<undefined>((resolve) =>
        this.#stop.signal.addEventListener('abort', () => resolve(undefined), { once: true }),
      )
      const asked = await Promise.race([this.ask('GET', `control?stop=${stop}&follow=${follow}`), ended])
      if (asked?.status !== 200) return
      ;[stop, follow, from] = [Number(asked.body.stop), Number(asked.body.follow), Number(asked.body.from)]
      if (stop > 0) this.#stop.abort()
      const bytes = Buffer.from(log())
      if (follow && bytes.length > from) await this.ask('PUT', `log?from=${from}`, bytes.subarray(from))
      if (follow) follow = 0
      await pause()
    }
  }

  async #upload(start: CollectedInput, outcome: FakeOutcome): Promise<PodExit> {
    const exit = lostExit(clusterJob(this.id), '', new Date())
    const log = Buffer.from(outcome.log ?? '')
    if (log.length > 0) await this.ask('PUT', 'log', log)
    const output = outcome.files?.output
    if (output) await this.ask('PUT', 'files/0', output)
    const status = output ? 'present' : 'absent'
    const count = start.plan.get('collect_file')?.length ?? 0
    exit.files = Array.from({ length: count }, () => ({ status, byteSize: output?.length ?? 0 }))
    if (start.plan.has('collect_tree') && outcome.tree) {
      const index = outcome.tree.map(({ path, content }) => `${content.length}@5 ${path}\0`).join('')
      await this.ask('PUT', 'tree-index', Buffer.from(index))
      await this.ask('PUT', 'tree', Buffer.concat(outcome.tree.map(({ content }) => content)))
      exit.tree.status = 'collected'
    }
    if (start.plan.has('collect_folder') && outcome.folder) {
      await this.ask('PUT', 'folder', folderBytes(outcome.folder, start.known))
      exit.folder.status = 'collected'
    }
    return { ...exit, logTotalBytes: log.length, logKeptBytes: log.length }
  }

  exit(exit: PodExit) {
    return this.ask('POST', 'exit', Buffer.from(JSON.stringify(exit)))
  }

  #end(): void {
    this.#cluster.setStatus(this.#pod.metadata, { phase: 'Succeeded' })
  }
}
