import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { stagingFolder } from '../../executor/oci/paths.ts'
import { shellJob, TestAgent, until } from '../../executor/oci/test-agent.ts'
import type { SandboxSpec } from '../../executor/port.ts'
import { bootArgv, bootInput } from '../boot-program.ts'
import { canariesWith, newStem, patternsOf } from './canary.ts'
import { processIds, Search } from './search.ts'

/*
 * Runs with canaries for secrets, on crun and a host agent of their own. Each run gets them as runs get secrets, proves that it has
 * them and prints them in every form that its log is to mask. While the programs live, and when they are gone, all that
 * the agent keeps is searched for the stem that every canary holds: its folders, what the shims see and nobody else,
 * the words and environment of every process, its log. The programs' own processes hold them, and are the proof that
 * the search finds what is there.
 */

/** How a program ends. A lasting one is searched for while it lives. */
const ends = { lasts: 'sleep 1000', exits: 'exit 3', aborts: 'kill -ABRT $$' }
type End = keyof typeof ends
const endNames: End[] = ['lasts', 'exits', 'lasts', 'aborts']

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

export class Campaign {
  readonly stem = newStem()
  readonly search = new Search(patternsOf(this.stem))
  readonly agent: TestAgent
  readonly found = new Set<string>()
  runs = 0
  readonly #logs: string
  readonly #image: string
  /** Processes from before the agent, of which a machine may show root nothing. */
  readonly #strangers: readonly number[]
  readonly #begunMs = Date.now()

  private constructor(agent: TestAgent, parts: { logs: string; image: string; strangers: number[] }) {
    this.agent = agent
    this.#logs = parts.logs
    this.#image = parts.image
    this.#strangers = parts.strangers
  }

  static async begin(): Promise<Campaign> {
    const strangers = await processIds()
    const logs = await mkdtemp(join(tmpdir(), 'sandbox-canaries-'))
    // The agent keeps the shell's process id.
    const prefix = ['/bin/bash', '-c', 'exec "$@" > >(exec tee "$0") 2>&1', join(logs, 'agent.log')]
    const agent = await TestAgent.start({}, { prefix })
    return new Campaign(agent, { logs, image: await agent.image(), strangers })
  }

  /** Runs so many at once, and searches while they live, when they have ended and when they are removed. */
  async batch(count: number): Promise<void> {
    const runs = Array.from({ length: count }, (_, at) => this.#run(endNames[at % endNames.length]))
    await Promise.all(runs.map((run) => this.#start(run)))
    const lasting = runs.filter(({ end }) => end === 'lasts')
    await this.#searchBeside(lasting)
    await Promise.all(lasting.map(({ spec }) => this.agent.client.stop(spec.id)))
    await Promise.all(runs.map((run) => this.#holdEnd(run)))
    await this.searchAll()
    await Promise.all(runs.map(({ spec }) => this.agent.client.remove(spec.id)))
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

  #run(end: End = 'lasts'): Run {
    const spec = { ...shellJob(this.#image, '', { logBytes: 2 ** 20 }), argv: [...bootArgv] }
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
    if (end !== 'lasts') await client.wait(spec.id)
    else await until(async () => (await text(await client.log(spec.id))).endsWith('ready\n'))
  }

  async #searchBeside(lasting: Run[]): Promise<void> {
    const own = new Set<number>()
    for (const { spec } of lasting) {
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
