import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { stagingFolder } from '../../executor/oci/paths.ts'
import { shellJob, TestAgent, until } from '../../executor/oci/test-agent.ts'
import type { SandboxRuntime, SandboxSpec } from '../../executor/port.ts'
import { bootArgv, bootInput } from '../boot-program.ts'
import { canariesWith, newStem, patternsOf } from './canary.ts'
import { processIds, Search } from './search.ts'

/*
 * Runs with canaries for secrets, on a host agent of their own that keeps warm sandboxes. Each run gets them as runs get
 * secrets, proves that it has them and prints them in every form that its log is to mask. All that the agent keeps is
 * searched for the stem that every canary holds: its folders, what the shims see and nobody else, the words and
 * environment of every process, its log.
 *
 * Runs come in rounds, with two searches each: while those that last are alive, and when all have ended. Until the second
 * is done nothing is removed, so both see all that every run of the round has left. On crun the programs' own processes
 * hold the canaries, and are the proof that the search finds what is there; gVisor keeps them in the memory of its own
 * kernel, so there no process at all may show one.
 */

/** How a program ends. A lasting one is searched for while it lives. */
const ends = { lasts: 'sleep 10000', exits: 'exit 3', aborts: 'kill -ABRT $$' }
type End = keyof typeof ends
/** Programs at once. Half of a round's last, at most so many; the others end by themselves beside them, so many at once. */
const atOnce = 4
/** As long as a round of the slower runtime on a busy machine. */
const timeoutMs = 20 * 60_000

const printed = `
for name in TOKEN PREFIX LONGER LINES QUOTES SHELL URL OTHER LONG; do
  eval "value=\\$$name"
  printf 'value %s\\n' "$value"
  printf '%s' "$value" | base64
  printf 'key %s' "$value" | base64 | tr -d '\\n'; echo
  printf '%s' "$value" | xxd -p
  printf '%s' "$value" >>/tmp/all
done
env
printf '\\nhas '; sha256sum </tmp/all; rm /tmp/all; echo ready
`

interface Run {
  spec: SandboxSpec
  end: End
  secrets: Record<string, string>
}

interface CampaignParts {
  runtime: SandboxRuntime
  logs: string
  image: string
  strangers: readonly number[]
}

export class Campaign {
  readonly stem = newStem()
  readonly search = new Search(patternsOf(this.stem))
  readonly agent: TestAgent
  readonly found = new Set<string>()
  runs = 0
  /** Of those, in a sandbox that was made before it was asked for. */
  warmRuns = 0
  readonly #runtime: SandboxRuntime
  readonly #logs: string
  readonly #image: string
  /** Processes from before the agent, of which a machine may show root nothing. */
  readonly #strangers: readonly number[]
  readonly #begunMs = Date.now()

  private constructor(agent: TestAgent, parts: CampaignParts) {
    this.agent = agent
    this.#runtime = parts.runtime
    this.#logs = parts.logs
    this.#image = parts.image
    this.#strangers = parts.strangers
  }

  static async begin(runtime: SandboxRuntime = 'crun'): Promise<Campaign> {
    const strangers = await processIds()
    const logs = await mkdtemp(join(tmpdir(), 'sandbox-canaries-'))
    // The agent keeps the shell's process id.
    const prefix = ['/bin/bash', '-c', 'exec "$@" > >(exec tee "$0") 2>&1', join(logs, 'agent.log')]
    const agent = await TestAgent.start({ SANDBOX_WARM_SANDBOXES: `${atOnce}` }, { prefix })
    return new Campaign(agent, { runtime, logs, image: await agent.image(), strangers })
  }

  /** So many runs, searched for while some live, when all have ended and, by the next search, when they are removed. */
  async round(count: number): Promise<void> {
    const lasting = Array.from({ length: Math.min(atOnce, Math.ceil(count / 2)) }, () => this.#run('lasts'))
    const ending = Array.from({ length: count - lasting.length }, (_, at) =>
      this.#run(at % 2 === 0 ? 'exits' : 'aborts'),
    )
    const runs = [...lasting, ...ending]
    await inTurns(runs, (run) => this.#start(run))
    await this.#searchBeside(lasting)
    await Promise.all(lasting.map(({ spec }) => this.agent.client.stop(spec.id)))
    await inTurns(runs, (run) => this.#holdEnd(run))
    await this.searchAll()
    const waiting = new Set(await this.agent.warm())
    const used = (await this.agent.folders()).filter((name) => name.startsWith('warm_') && !waiting.has(name))
    this.warmRuns += used.length
    await inTurns(runs, ({ spec }) => this.agent.client.remove(spec.id))
    this.runs += count
  }

  /** All that the agent keeps, and every process but `except`. */
  async searchAll(except: ReadonlySet<number> = new Set()): Promise<void> {
    for (const folder of [this.agent.dataDir, this.#logs]) this.#note(await this.search.below(folder))
    this.#note(await this.search.processes(new Set([...this.#strangers, ...except])))
  }

  /** The last search, which includes what anything of the machine has written since the beginning where it is usual. */
  async end(): Promise<string[]> {
    try {
      await this.searchAll()
      for (const folder of [
        '/run/crun',
        stagingFolder,
        '/dev/shm',
        '/var/log',
        '/var/tmp',
        '/var/lib/systemd/coredump',
      ]) {
        this.#note(await this.search.below(folder, this.#begunMs))
      }
    } finally {
      await this.agent.dispose()
    }
    this.#note(await this.search.below(this.#logs))
    await rm(this.#logs, { recursive: true })
    return [...this.found]
  }

  #run(end: End): Run {
    const limits = { runtime: this.#runtime, logBytes: 2 ** 20, timeoutMs }
    const spec = { ...shellJob(this.#image, '', limits), argv: [...bootArgv] }
    return { spec, end, secrets: canariesWith(this.stem) }
  }

  async #start({ spec, end, secrets }: Run): Promise<void> {
    const input = bootInput({
      imageEnv: [],
      env: {},
      secrets,
      startupScript: '',
      workScript: `${printed}${ends[end]}\n`,
      driver: '. /workspace/work.sh',
      input: Buffer.from('{}'),
    })
    const { client } = this.agent
    await client.start(spec, input, Object.values(secrets))
    let ended = false
    const waiting = client.wait(spec.id).then(() => {
      ended = true
    })
    if (end !== 'lasts') return waiting
    await until(async () => ended || (await text(await client.log(spec.id))).endsWith('ready\n'))
  }

  async #searchBeside(lasting: Run[]): Promise<void> {
    const own = new Set<number>()
    for (const { spec } of this.#runtime === 'crun' ? lasting : []) {
      const pids = await this.agent.processes(await this.agent.nameOf(spec.id))
      for (const pid of pids) own.add(pid)
      const told = (await Promise.all(pids.map((pid) => this.search.process(pid)))).flat()
      if (told.length === 0) this.#note(['nothing in the program’s own processes'])
    }
    await this.searchAll(own)
    for (const shim of await this.#shims()) {
      this.#note(await this.search.below(`/proc/${shim}/root${stagingFolder}`))
    }
  }

  /** Processes that work in a sandbox's folder. */
  async #shims(): Promise<number[]> {
    const shims: number[] = []
    for (const pid of await processIds()) {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      if (words.includes(`${this.agent.dataDir}/agent/sandboxes/`)) shims.push(pid)
    }
    if (shims.length === 0) this.#note(['no shim to look into'])
    return shims
  }

  async #holdEnd({ spec, end, secrets }: Run): Promise<void> {
    const exit = await this.agent.client.wait(spec.id)
    const log = await text(await this.agent.client.log(spec.id))
    const has = createHash('sha256').update(Object.values(secrets).join('')).digest('hex')
    const told = `${exit.cause} ${exit.exitCode} ${exit.signal} ${exit.detail}`
    const expected = { lasts: 'stopped null', exits: 'exited 3', aborts: 'signalled' }[end]
    if (!told.startsWith(expected)) this.#note([`a run that ${end} ended as ${told}`])
    if (!log.includes(`has ${has}`)) this.#note(['a run had not what it was given'])
    if (!log.includes('[masked]')) this.#note(['a log without a mark'])
  }

  #note(found: string[]): void {
    for (const place of found) this.found.add(place)
  }
}

/** So many at once: what is done together is over together. */
async function inTurns<T>(all: readonly T[], once: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += atOnce) {
    await Promise.all(all.slice(from, from + atOnce).map(once))
  }
}
