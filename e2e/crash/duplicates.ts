import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { createClient } from '@sandbox-jobs/contract/client/client.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { freePort, type OwnService, sandboxProgram } from '../main-job/service.ts'
import type { Tenant } from '../main-job/tenant.ts'
import { withDatabase } from './load/history.ts'
import type { JobInput } from './load/job.ts'

export interface DuplicatePlan {
  keys: number
  /** Submissions of each key, all at once and spread over the instances. */
  copies: number
  /** API processes on the one database. */
  instances: number
}

const quickJob: JobInput = { nonce: 'duplicate', exit_code: 0, log_lines: 0, artifacts: 0, seconds: 0 }
/** Number of keys submitted concurrently. */
const keysAtOnce = 16
const retryMs = 100

/**
 * Submits every key many times at once, to several API processes: there must be one run per key, which every response has.
 * Returns violations.
 */
export async function submitDuplicates(
  service: OwnService,
  tenant: Tenant,
  { version, plan }: { version: string; plan: DuplicatePlan },
): Promise<string[]> {
  const others = await Promise.all(Array.from({ length: plan.instances - 1 }, () => startApi(service)))
  try {
    const urls = [service.url, ...others.map(({ url }) => url)]
    const clients = urls.map((baseUrl) => createClient({ baseUrl, token: tenant.token }))
    const faults: string[] = []
    const runs = new Set<string>()
    const submitKey = async () => {
      const idempotencyKey = `duplicate-${randomUUID()}`
      const body = { task_version_id: version, input: quickJob }
      const answers = await Promise.all(
        Array.from({ length: plan.copies }, (_, copy) => {
          const client = clients[copy % clients.length] as (typeof clients)[number]
          return retryWhileQueueFull(() =>
            client.call(allRoutes.submitRun, { params: { cid: tenant.room }, body, idempotencyKey }),
          )
        }),
      )
      const ids = new Set(answers.map(({ id }) => id))
      if (ids.size !== 1) faults.push(`one key has the runs ${[...ids].join(', ')}`)
      for (const id of ids) runs.add(id)
    }
    let left = plan.keys
    await Promise.all(
      Array.from({ length: keysAtOnce }, async () => {
        while (left > 0) {
          left -= 1
          await submitKey().catch((error: unknown) => faults.push(String(error)))
        }
      }),
    )
    if (runs.size !== plan.keys) faults.push(`${plan.keys} keys were answered with ${runs.size} runs`)
    const stored = await countFinishedRuns(service.dataDir, version)
    if (stored !== plan.keys) faults.push(`${plan.keys} keys made ${stored} runs`)
    return faults
  } finally {
    for (const { child } of others) child.kill('SIGTERM')
    await Promise.all(others.map(({ child }) => once(child, 'close')))
  }
}

/** Retries while the queue is full (429). */
async function retryWhileQueueFull<T>(submit: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await submit()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error
    }
    await sleep(retryMs)
  }
}

/** The number of runs, once all of them have ended. */
const countFinishedRuns = (dataDir: string, version: string): Promise<number> =>
  withDatabase(dataDir, async (database) => {
    for (;;) {
      const { rows } = await database.query<{ runs: number; open: number }>(
        `select count(*)::int as runs, count(*) filter (where terminal_at is null)::int as open
         from runs where task_version_id = $1`,
        [version],
      )
      if (rows[0]?.open === 0) return rows[0].runs
      await sleep(retryMs)
    }
  })

/** Starts another API process, which accepts the same tokens as the service's own. */
async function startApi({ env, url: baseUrl }: OwnService): Promise<{ child: ChildProcess; url: string }> {
  const port = await freePort()
  const child = spawn(sandboxProgram, ['up', '--role', 'api'], {
    env: { ...env, SANDBOX_PORT: String(port), SANDBOX_BASE_URL: baseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    if (line.includes('ready')) return { child, url: `http://127.0.0.1:${port}` }
    lines.push(line)
  }
  throw new Error(`another api did not start:\n${lines.join('\n')}`)
}
