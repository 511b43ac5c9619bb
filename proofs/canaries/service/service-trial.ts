import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { childOf, type HostSetup, type OwnService, startService } from '../../../e2e/main-job/service.ts'
import { ended, logIn, logOf, runWhen } from '../../../e2e/main-job/tenant.ts'
import { newStem, patternsOf } from '../canary.ts'
import { teedTo } from '../machine.ts'
import { processIds, Search } from '../search.ts'
import { searchAnswers } from './answers.ts'
import { searchBackup } from './backup.ts'
import { type Places, searchAfter, searchPlaces } from './places.ts'
import { leakCount, missedLeaks, PlantedLeaks } from './planted-leaks.ts'
import { commandOf, processesSince } from './processes.ts'
import { lastingCommand, type RunEnd, SecretJob } from './secret-job.ts'

/** Maximum number of concurrent runs, and the number of runs that last while everything is searched. */
const batchSize = 4
const ends: RunEnd[] = ['exits', 'aborts', 'completes']
const pollMs = 50
const startTimeoutMs = 60_000

export interface ServiceFindings {
  cases: number
  found: string[]
  unread: ReadonlySet<string>
}

/**
 * A whole service whose runs get canaries as secrets, the way clients and rooms supply them. Everything is searched twice: while
 * runs last and API and worker have been aborted, and when all has ended, the secrets are revoked and a backup was made. Another
 * canary is planted in each kind of place, and each has to be found.
 */
export async function searchService(count: number, say: (line: string) => void): Promise<ServiceFindings> {
  const earlierProcesses = new Set(await processIds())
  const logs = await mkdtemp(join(tmpdir(), 'canaries-service-'))
  try {
    return await searchWith({ logs, earlierProcesses }, count, say)
  } finally {
    await rm(logs, { recursive: true })
  }
}

async function searchWith(
  { logs, earlierProcesses }: Pick<Places, 'logs' | 'earlierProcesses'>,
  count: number,
  say: (line: string) => void,
): Promise<ServiceFindings> {
  const service = await startService({}, loggedTo(join(logs, 'service.log')))
  const trial = new ServiceTrial({ service, logs, earlierProcesses, sinceMs: Date.now() })
  try {
    await trial.run(count, say)
  } finally {
    await service.stop()
  }
  await trial.searchAfter()
  return { cases: count, found: [...trial.found], unread: trial.search.unread }
}

/** Starts a service so that its output is in a file too. */
const loggedTo = (file: string): HostSetup => ({
  prepare: async () => undefined,
  wrapper: () => teedTo(file),
  cleanUp: async () => undefined,
})

class ServiceTrial {
  readonly found = new Set<string>()
  readonly #stem = newStem()
  readonly #planted = newStem()
  readonly search = new Search(patternsOf(this.#stem))
  readonly #plantedSearch = new Search(patternsOf(this.#planted))
  readonly #places: Places

  constructor(places: Places) {
    this.#places = places
  }

  async run(count: number, say: (line: string) => void): Promise<void> {
    const { service } = this.#places
    const job = await SecretJob.publish(await logIn(service), this.#stem)
    this.#report(await searchAnswers(job, this.search, `sk-${this.#stem}-value`))
    const lasting = await this.#startLasting(job, Math.min(batchSize, Math.ceil(count / 2)))
    for (const role of ['worker', 'api'] as const) await abort(service, role)
    await answering(job)
    this.#report(await searchPlaces(this.#places, this.search))
    say(`searched while ${lasting.length} runs last`)
    for (const run of lasting) await job.cancel(run)
    for (const run of lasting) await this.#checkEnd(job, run)
    await job.rotate()
    for (let left = count - lasting.length; left > 0; left -= batchSize)
      await this.#runBatch(job, Math.min(batchSize, left))
    say(`${count} runs have ended`)
    const planted = await this.#searchPlanted(job)
    await job.revoke()
    this.#report(await searchPlaces(this.#places, this.search))
    const searches = [this.search, this.#plantedSearch]
    const [inBackup = [], plantedInBackup = []] = await searchBackup(this.#places.service, searches)
    this.#report(inBackup)
    const missed = missedLeaks([...planted, ...plantedInBackup])
    this.#report(missed.map((leak) => `a planted leak was not found: ${leak}`))
    say(`searched after the runs, and found ${leakCount - missed.length} of ${leakCount} planted leaks`)
  }

  async searchAfter(): Promise<void> {
    this.#report(await searchAfter(this.#places, this.search))
  }

  /** Plants leaks of another canary and returns where it is found in the running service. */
  async #searchPlanted(job: SecretJob): Promise<string[]> {
    const leaks = await PlantedLeaks.plant(job, this.#places, this.#planted)
    try {
      return [
        ...leaks.searchAnswer(this.#plantedSearch),
        ...(await searchPlaces(this.#places, this.#plantedSearch)),
      ]
    } finally {
      await leaks.remove()
    }
  }

  /** Starts runs that last. Their own processes have the canaries, which proves that they were delivered. */
  async #startLasting(job: SecretJob, count: number): Promise<RunDetail[]> {
    const lasting = await Promise.all(Array.from({ length: count }, () => job.submit('lasts')))
    const jobs = await this.#sleepers(count)
    const inJobs = (await Promise.all(jobs.map((pid) => this.search.process(pid)))).flat()
    if (inJobs.length < count) this.#report([`${inJobs.length} canaries in the processes of ${count} jobs`])
    return lasting
  }

  /** The processes of lasting runs that have printed their secrets. */
  async #sleepers(count: number): Promise<number[]> {
    for (const until = performance.now() + startTimeoutMs; ; await sleep(pollMs)) {
      const { jobs } = await processesSince(this.#places.earlierProcesses)
      const commands = await Promise.all(jobs.map(commandOf))
      const sleepers = jobs.filter((_, at) => commands[at]?.endsWith(lastingCommand.join('\0')))
      if (sleepers.length >= count) return sleepers
      if (performance.now() > until)
        throw new Error(`only ${sleepers.length} of ${count} lasting runs started`)
    }
  }

  async #runBatch(job: SecretJob, count: number): Promise<void> {
    const runs = await Promise.all(
      Array.from({ length: count }, (_, at) => job.submit(ends[at % ends.length] ?? 'exits')),
    )
    for (const run of runs) await this.#checkEnd(job, run)
  }

  async #checkEnd(job: SecretJob, { id }: RunDetail): Promise<void> {
    const { status, error_code } = await runWhen(job.tenant, id, ended)
    const log = await logOf(job.tenant, id)
    if (!log.includes('[masked]'))
      this.#report([`a run that is ${status} ${error_code} has a log without [masked]`])
    this.#report(this.search.in('the answer to readRunLog', Buffer.from(log)))
  }

  #report(found: readonly string[]): void {
    for (const place of found) this.found.add(place)
  }
}

/** Ends a process so that the kernel would write a core file of it, and waits for the next one of its role. */
async function abort({ pid }: OwnService, role: string): Promise<void> {
  const aborted = await childOf(pid, role)
  if (aborted === undefined) throw new Error(`no process runs the role ${role}`)
  process.kill(aborted, 'SIGABRT')
  for (
    let now: number | undefined = aborted;
    now === undefined || now === aborted;
    now = await childOf(pid, role)
  )
    await sleep(pollMs)
}

async function answering({ tenant: { client } }: SecretJob): Promise<void> {
  while (!(await client.call(allRoutes.readMe).catch(() => undefined))) await sleep(pollMs)
}
