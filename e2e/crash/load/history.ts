import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunState, runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { canTransition, isTerminal, statesOf } from '@sandbox-jobs/contract/states/state-machine.ts'
import pg from 'pg'

const reconnectTimeoutMs = 30_000
const retryMs = 100

/** A run in the database after all work has ended. */
export interface StoredRun {
  id: string
  state: RunState
  error_code: string
  error_detail: string
  /** Every state it was in, in order. */
  states: RunState[]
}

/** Connects to the service's embedded database with the password of its own role. */
export async function withDatabase<T>(dataDir: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const folder = join(dataDir, 'postgres')
  const [port, password] = await Promise.all(
    ['port', 'password'].map(async (name) => (await readFile(join(folder, name), 'utf8')).trim()),
  )
  const client = await connectedTo(`postgres://sandbox_jobs:${password}@127.0.0.1:${port}/sandbox_jobs`)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Retries while the database still recovers from the last disruption. */
async function connectedTo(url: string): Promise<pg.Client> {
  for (const startedAt = performance.now(); ; await sleep(retryMs)) {
    const client = new pg.Client(url)
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end().catch(() => undefined)
      if (performance.now() - startedAt > reconnectTimeoutMs) throw error
    }
  }
}

export async function readRuns(
  client: pg.Client,
  versions: readonly string[],
): Promise<Map<string, StoredRun>> {
  const { rows } = await client.query<StoredRun>(
    `select r.id, r.state, r.error_code, r.error_detail,
       array(select e.to_state from state_events e where e.entity = 'run' and e.entity_id = r.id order by e.id) as states
     from runs r where r.task_version_id = any($1)`,
    [versions],
  )
  return new Map(rows.map((run) => [run.id, run]))
}

/** Violations in the sequence of states of a run, by the transition table. */
export function* lifecycleFaults({ id, state, states }: StoredRun): Generator<string> {
  const prefix = `${id}: ${states.join(', ')}`
  if (states[0] !== runMachine.initial) yield `${prefix}: does not start as ${runMachine.initial}`
  if (states.at(-1) !== state) yield `${prefix}: is ${state}`
  for (const [index, to] of states.entries()) {
    const from = states[index - 1]
    if (!statesOf(runMachine).includes(to)) yield `${prefix}: no state is named ${to}`
    else if (from && !canTransition(runMachine, from, to)) yield `${prefix}: may not go from ${from} to ${to}`
  }
  const ends = states.filter((one) => isTerminal(runMachine, one)).length
  if (ends !== 1) yield `${prefix}: has ${ends} ends`
  const starts = states.filter((one) => one === 'running').length
  if (starts > 1) yield `${prefix}: ran ${starts} times`
}
