import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { stagingFolder } from '../../agent/host/paths.ts'
import type { SandboxRuntime, SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { inputOf } from '../../agent/port/start-input.ts'
import { bootArgv, bootInput } from '../../server/runs/prepare/boot-program.ts'
import { shellJob, TestAgent, waitUntil } from '../../testing/agent/test-agent.ts'
import { canariesWith, newStem, patternsOf } from './canary.ts'
import { machineFolders, teedTo } from './machine.ts'
import { processIds, Search } from './search.ts'

/*
 * Runs with canaries as secrets, on a separate host agent that keeps warm sandboxes. Each run receives them as runs receive
 * secrets, proves that it has them and prints them in every form that its log has to mask. Everything that the agent stores
 * is searched for the stem that every canary contains: its folders, files that only the shims see, the command line and
 * environment of every process, its log.
 *
 * Runs come in rounds with two searches each: while the lasting runs are alive, and when all have ended. Nothing is removed
 * before the second search, so both see the residue of every run of the round. On crun the programs' own processes
 * hold the canaries, which proves that the search works; gVisor keeps them in the memory of its own
 * kernel, so no process may show one.
 */

/** How a program ends. A search runs while lasting programs are alive. */
const ends = { lasts: 'sleep 10000', exits: 'exit 3', aborts: 'kill -ABRT $$' }
type End = keyof typeof ends
/** Maximum number of concurrent programs. Up to half of a round, and at most this many, are lasting programs. */
const batchSize = 4
/** Longer than a round of the slower runtime on a busy machine. */
const timeoutMs = 20 * 60_000
const shownWithinMs = 10_000

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
  earlierProcesses: readonly number[]
}

export class Campaign {
  readonly stem = newStem()
  readonly search = new Search(patternsOf(this.stem))
  readonly agent: TestAgent
  readonly found = new Set<string>()
  runs = 0
  /** Runs of these in a warm sandbox. */
  warmRuns = 0
  readonly #runtime: SandboxRuntime
  readonly #logs: string
  readonly #image: string
  /** Processes that were there before the agent, which are not searched. */
  readonly #earlierProcesses: readonly number[]
  readonly #startedMs = Date.now()

  private constructor(agent: TestAgent, parts: CampaignParts) {
    this.agent = agent
    this.#runtime = parts.runtime
    this.#logs = parts.logs
    this.#image = parts.image
    this.#earlierProcesses = parts.earlierProcesses
  }

  static async start(runtime: SandboxRuntime = 'crun'): Promise<Campaign> {
    const earlierProcesses = await processIds()
    const logs = await mkdtemp(join(tmpdir(), 'sandbox-canaries-'))
    const prefix = teedTo(join(logs, 'agent.log'))
    const agent = await TestAgent.start({ SANDBOX_WARM_SANDBOXES: `${batchSize}` }, { prefix })
    return new Campaign(agent, { runtime, logs, image: await agent.image(), earlierProcesses })
  }

  /** Runs one round: searches while some runs are alive and when all have ended. The next search sees the state after their removal. */
  async round(count: number): Promise<void> {
    const lasting = Array.from({ length: Math.min(batchSize, Math.ceil(count / 2)) }, () =>
      this.#run('lasts'),
    )
    const ending = Array.from({ length: count - lasting.length }, (_, at) =>
      this.#run(at % 2 === 0 ? 'exits' : 'aborts'),
    )
    const runs = [...lasting, ...ending]
    await inBatches(runs, (run) => this.#start(run))
    await this.#searchWhileRunning(lasting)
    await Promise.all(lasting.map(({ spec }) => this.agent.client.stop(spec.id)))
    await inBatches(runs, (run) => this.#checkEnd(run))
    await this.searchAll()
    const waiting = new Set(await this.agent.warm())
    const used = (await this.agent.folders()).filter((name) => name.startsWith('warm_') && !waiting.has(name))
    this.warmRuns += used.length
    await inBatches(runs, ({ spec }) => this.agent.client.remove(spec.id))
    this.runs += count
  }

  /** Searches everything that the agent stores, and every process but `except`. */
  async searchAll(except: ReadonlySet<number> = new Set()): Promise<void> {
    for (const folder of [this.agent.dataDir, this.#logs]) this.#report(await this.search.below(folder))
    this.#report(await this.search.processes(new Set([...this.#earlierProcesses, ...except])))
  }

  /** The last search. Includes files that changed since the start in the usual folders of the machine. */
  async end(): Promise<string[]> {
    try {
      await this.searchAll()
      for (const folder of ['/run/crun', stagingFolder]) {
        this.#report(await this.search.below(folder, this.#startedMs))
      }
      for (const folder of machineFolders) {
        this.#report(await this.search.belowShared(folder, this.#startedMs))
      }
    } finally {
      await this.agent.dispose()
    }
    this.#report(await this.search.below(this.#logs))
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
      identity: { runId: 'run_0', chatroomId: 'roo_0', taskId: 'tsk_0', taskVersionId: 'tvr_0' },
      startupScript: '',
      workScript: `${printed}${ends[end]}\n`,
      driver: '. /workspace/work.sh',
      input: Buffer.from('{}'),
      claimedAt: new Date(),
    })
    const { client } = this.agent
    await client.start(spec, inputOf(input, { masked: Object.values(secrets) }))
    let ended = false
    const waiting = client.wait(spec.id).then(() => {
      ended = true
    })
    if (end !== 'lasts') return waiting
    await waitUntil(async () => ended || (await text(await client.log(spec.id))).endsWith('ready\n'))
  }

  async #searchWhileRunning(lasting: Run[]): Promise<void> {
    const own = new Set<number>()
    for (const { spec } of this.#runtime !== 'runsc' ? lasting : []) {
      if (!(await this.#showsCanary(await this.agent.nameOf(spec.id), own)))
        this.#report(['no canary in the program’s own processes'])
    }
    await this.searchAll(own)
    for (const shim of await this.#shims()) {
      this.#report(await this.search.below(`/proc/${shim}/root${stagingFolder}`))
    }
  }

  /**
   * Whether a process of the sandbox shows a canary; adds its processes to `own`. The shell has said that it is ready just
   * before it starts the program that has the canaries in its environment.
   */
  async #showsCanary(sandbox: string, own: Set<number>): Promise<boolean> {
    for (const until = performance.now() + shownWithinMs; ; await sleep(10)) {
      const pids = await this.agent.processes(sandbox)
      for (const pid of pids) own.add(pid)
      const shown = await Promise.all(pids.map((pid) => this.search.process(pid)))
      if (shown.flat().length > 0) return true
      if (performance.now() > until) return false
    }
  }

  /** Processes with a sandbox's folder in their command line. */
  async #shims(): Promise<number[]> {
    const shims: number[] = []
    for (const pid of await processIds()) {
      const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      if (words.includes(`${this.agent.dataDir}/agent/sandboxes/`)) shims.push(pid)
    }
    if (shims.length === 0) this.#report(['no shim to search'])
    return shims
  }

  async #checkEnd({ spec, end, secrets }: Run): Promise<void> {
    const exit = await this.agent.client.wait(spec.id)
    const log = await text(await this.agent.client.log(spec.id))
    const has = createHash('sha256').update(Object.values(secrets).join('')).digest('hex')
    const outcome = `${exit.cause} ${exit.exitCode} ${exit.signal} ${exit.detail}`
    const expected = { lasts: 'stopped null', exits: 'exited 3', aborts: 'signalled' }[end]
    if (!outcome.startsWith(expected)) this.#report([`a run that ${end} ended as ${outcome}`])
    if (!log.includes(`has ${has}`)) this.#report(['a run did not have its secrets'])
    if (!log.includes('[masked]')) this.#report(['a log without [masked]'])
  }

  #report(found: string[]): void {
    for (const place of found) this.found.add(place)
  }
}

/** Runs `once` for all, in batches of `batchSize`. */
async function inBatches<T>(all: readonly T[], once: (one: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < all.length; from += batchSize) {
    await Promise.all(all.slice(from, from + batchSize).map(once))
  }
}
