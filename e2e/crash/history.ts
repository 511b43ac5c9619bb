import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RunState, runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { canMove, isTerminal, statesOf } from '@sandbox-jobs/contract/states/state-machine.ts'
import pg from 'pg'

const backWithinMs = 30_000
const againMs = 100

/** A run as the database has it when everything is quiet. */
export interface StoredRun {
  id: string
  state: RunState
  error_code: string
  error_detail: string
  /** Every state it was in, in order. */
  states: RunState[]
}

/** Reads the service's embedded database from outside, with the password that it keeps for its own role. */
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

/** What was done to the database last may be what it still recovers from. */
async function connectedTo(url: string): Promise<pg.Client> {
  for (const begun = performance.now(); ; await sleep(againMs)) {
    const client = new pg.Client(url)
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end().catch(() => undefined)
      if (performance.now() - begun > backWithinMs) throw error
    }
  }
}

export async function readRuns(client: pg.Client, version: string): Promise<Map<string, StoredRun>> {
  const { rows } = await client.query<StoredRun>(
    `select r.id, r.state, r.error_code, r.error_detail,
       array(select e.to_state from state_events e where e.entity = 'run' and e.entity_id = r.id order by e.id) as states
     from runs r where r.task_version_id = $1`,
    [version],
  )
  return new Map(rows.map((run) => [run.id, run]))
}

/** What is wrong with the states that a run was in; nothing for a life that the table of moves allows. */
export function* faultsOfLife({ id, state, states }: StoredRun): Generator<string> {
  const told = `${id}: ${states.join(', ')}`
  if (states[0] !== runMachine.initial) yield `${told}: does not begin as ${runMachine.initial}`
  if (states.at(-1) !== state) yield `${told}: is ${state}`
  for (const [index, to] of states.entries()) {
    const from = states[index - 1]
    if (!statesOf(runMachine).includes(to)) yield `${told}: no state is named ${to}`
    else if (from && !canMove(runMachine, from, to)) yield `${told}: may not go from ${from} to ${to}`
  }
  const ends = states.filter((one) => isTerminal(runMachine, one)).length
  if (ends !== 1) yield `${told}: has ${ends} ends`
  const starts = states.filter((one) => one === 'running').length
  if (starts > 1) yield `${told}: ran ${starts} times`
}
