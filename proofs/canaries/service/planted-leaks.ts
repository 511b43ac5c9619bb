import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { ended, logOf, runWhen } from '../../../e2e/main-job/tenant.ts'
import type { Search } from '../search.ts'
import { asSuperuser } from './database.ts'
import type { Places } from './places.ts'
import type { SecretJob } from './secret-job.ts'

/**
 * Leaks of another canary, made on purpose: each has to be found, which proves that the search reads its place. Each entry
 * is a leak and the line that reports it.
 */
const leaks: Record<string, RegExp> = {
  'a column of text': /^plain in public\.environments\.name$/,
  'a column of bytes': /^plain in public\.run_inputs\.content$/,
  'a file of a table': /^plain in .*\/postgres\/cluster\/base\//,
  'a record of the write-ahead log alone': /^base64 after 0 in .*\/pg_wal\//,
  'a table in a backup': / in backup database\/run_inputs\.rows\.gz$/,
  'the log of a run': /^plain in .*\/objects\/objects\//,
  'an answer': /^plain in the answer to readRunLog$/,
  'the log of the service': /^plain in .*\/service\.log$/,
  'the folder of the host agent': /^hex in .*\/agent\/planted$/,
  'the state of a runtime': /^plain in \/run\/sandbox-canaries-/,
  'a command line': /^hex in cmdline of process/,
  'an environment': /^plain in environ of process/,
  'a core file': /^plain in .*\/core\.1$/,
  'a process that may write one': /^a core limit of unlimited of the process api$/,
}

export const leakCount = Object.keys(leaks).length

export class PlantedLeaks {
  readonly #process: ChildProcess
  readonly #folder: string
  readonly #state: string
  readonly #log: string

  private constructor(process: ChildProcess, rest: { folder: string; state: string; log: string }) {
    this.#process = process
    this.#folder = rest.folder
    this.#state = rest.state
    this.#log = rest.log
  }

  /** Makes them, the first ones as a tenant does who lets a job print what is in its input. */
  static async plant(job: SecretJob, { service }: Places, stem: string): Promise<PlantedLeaks> {
    const { tenant } = job
    await tenant.client.call(allRoutes.createEnvironment, { body: { name: stem } })
    const run = await job.submit('echoes', stem)
    await runWhen(tenant, run.id, ended)
    const log = await logOf(tenant, run.id)
    const message = Buffer.from(stem).toString('base64')
    await asSuperuser(service.dataDir, (client) =>
      client.query("select pg_logical_emit_message(true, 'planted', $1::text)", [message]),
    )
    await appendFile(`/proc/${service.pid}/fd/1`, `${stem}\n`)
    const hex = Buffer.from(stem).toString('hex')
    const folder = await mkdtemp(join(tmpdir(), 'canaries-planted-'))
    await writeFile(join(folder, 'core.1'), stem)
    const state = `/run/sandbox-canaries-${process.pid}`
    await writeFile(join(service.dataDir, 'agent/planted'), hex)
    await mkdir(state)
    await writeFile(join(state, 'status'), stem)
    const command = 'ulimit -c unlimited; echo ready; exec -a "$0" sleep 600'
    const child = spawn('/bin/bash', ['-c', command, `/${hex}/api.mjs`], {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', PLANTED: stem },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(child.stdout, 'data')
    return new PlantedLeaks(child, { folder, state, log })
  }

  searchAnswer(search: Search): string[] {
    return search.in('the answer to readRunLog', Buffer.from(this.#log))
  }

  async remove(): Promise<void> {
    this.#process.kill('SIGKILL')
    await rm(this.#folder, { recursive: true })
    await rm(this.#state, { recursive: true })
  }
}

/** The leaks that no line reports. */
export const missedLeaks = (found: readonly string[]): string[] =>
  Object.entries(leaks)
    .filter(([, line]) => !found.some((place) => line.test(place)))
    .map(([what]) => what)
