import { createClient } from '@sandbox-jobs/contract/client/client.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { RunTimer } from '../load/submit-and-wait.ts'
import { percentile, rounded } from '../measure/percentile.ts'
import { type BenchJob, makeJob, noOp } from '../sandbox/bench-job.ts'
import { Author, type ContextFiles } from './author.ts'
import { largeBaseName, seeded } from './large-base.ts'
import type { BenchService } from './service.ts'

const bodyBytes = 4 * 1024 ** 2
const buildPollMs = 5
const runPollMs = 2
export const editedPath = '/app/file'

/** A context with one file above the large base. Only the first line of the file differs. */
export const editedContext = (line: string): ContextFiles => ({
  Dockerfile: `FROM ${largeBaseName}\nCOPY file ${editedPath}\n`,
  file: Buffer.concat([Buffer.from(`${line}\n`), seeded('edited file', bodyBytes)]),
})

/** Bytes of the changed file. */
export const editedBytes = bodyBytes

/** A published task, and versions of it on an environment of which one line changes. */
export class EditedJob {
  readonly #service: BenchService
  readonly #job: BenchJob
  readonly #author: Author
  readonly #taskId: string
  readonly #rounds: { name: string; ms: number }[][] = []

  private constructor(service: BenchService, parts: { job: BenchJob; author: Author; taskId: string }) {
    this.#service = service
    this.#job = parts.job
    this.#author = parts.author
    this.#taskId = parts.taskId
  }

  static async start(service: BenchService): Promise<EditedJob> {
    const job = await makeJob(service, noOp)
    const client = createClient({ baseUrl: service.baseUrl, apiKey: job.apiKey })
    const author = await Author.with(client, 'edited')
    const [binding] = (await client.call(allRoutes.listRoomBindings, { params: { cid: job.chatroomId } }))
      .items
    if (!binding) throw new Error('the job is enabled in no room')
    return new EditedJob(service, { job, author, taskId: binding.task_id })
  }

  /** Uploads the context with that line, builds it, publishes a version of the task on it, and runs that once. */
  async once(line: string): Promise<{ tookMs: number; stages: string }> {
    const files = editedContext(line)
    const moments = [{ name: 'upload', at: performance.now() }]
    const moment = (name: string) => moments.push({ name, at: performance.now() })
    const uploaded = await this.#author.upload(files)
    moment('build')
    const { versionId, attemptId } = await this.#author.build(uploaded, { pollMs: buildPollMs })
    moment('publish')
    const taskVersionId = await this.#publish(versionId, line)
    moment('run')
    const timer = new RunTimer(
      { ...this.#job, taskVersionId },
      { baseUrl: this.#service.baseUrl, pollMs: runPollMs },
    )
    await timer.once(0).finally(() => timer.close())
    moment('end')
    const stages = await this.#author.stages(versionId, attemptId)
    const parts = moments.slice(1).map(({ at }, index) => ({
      name: moments[index]?.name ?? '',
      ms: at - (moments[index]?.at ?? 0),
    }))
    const round = parts.flatMap((part) => (part.name === 'build' ? [part, ...stages] : [part]))
    this.#rounds.push(round)
    return { tookMs: (moments.at(-1)?.at ?? 0) - (moments[0]?.at ?? 0), stages: textOf(round) }
  }

  /** Discards the measurements so far. */
  forget(): void {
    this.#rounds.length = 0
  }

  /** The medians of the parts of a round; the stages are those of the build. */
  stages(): string {
    const names = [...new Set(this.#rounds.flat().map(({ name }) => name))]
    const median = (name: string) =>
      percentile(
        this.#rounds.flatMap((round) => round.filter((part) => part.name === name).map(({ ms }) => ms)),
        0.5,
      )
    return textOf(names.map((name) => ({ name, ms: median(name) })))
  }

  async #publish(versionId: string, line: string): Promise<string> {
    const { client, chatroomId } = this.#job
    const id = this.#taskId
    const draft = await client.call(allRoutes.createTaskVersion, {
      params: { id },
      body: {
        environment_version_id: versionId,
        startup_script: noOp,
        work_script: `read -r line <${editedPath}; [ "$line" = '${line}' ]\n`,
      },
    })
    await client.call(allRoutes.publishTaskVersion, { params: { id, vid: draft.id } })
    await client.call(allRoutes.enableGrantedJob, {
      params: { cid: chatroomId, tid: id },
      body: { task_version_id: draft.id },
    })
    return draft.id
  }
}

const textOf = (parts: { name: string; ms: number }[]): string =>
  parts.map(({ name, ms }) => `${name} ${rounded(ms)} ms`).join(', ')
