import { attemptScript, outcomeOf } from '../../server/executor/oci/probe/attempts.ts'
import { busybox, shellJob } from '../../server/executor/oci/test-agent.ts'
import type { SandboxSpec } from '../../server/executor/port.ts'
import type { Stage } from './stage.ts'

/** One thing that a hostile program tries: a command of the shell that succeeds when it got what it should not. */
export interface Attempt {
  name: string
  what: string
  command: string
  /** Absent: the command has to fail. `contained`: it may do what it likes with its own; the canaries decide. */
  expected?: 'contained'
  /** gVisor answers here from its own kernel, which this sentence says; the canaries decide. */
  ofGvisor?: string
}

/** Attempts that one sandbox makes one after another. */
export interface Table {
  class: string
  attempts: Attempt[]
  /** What the sandbox has beside the usual. */
  spec?: Partial<SandboxSpec>
}

export interface Failure {
  class: string
  name: string
  told: string
}

const memoryBytes = 256 * 2 ** 20
/** Makes the attempts in one sandbox; returns those that did not end as they should. */
export async function makeAttempts(stage: Stage, table: Table): Promise<Failure[]> {
  const log = await logOf(stage, table)
  return table.attempts.flatMap((attempt) => {
    const outcome = outcomeOf(log, attempt.name)
    const own = attempt.expected === 'contained' || (stage.runtime === 'runsc' && attempt.ofGvisor)
    const fine = outcome === 'refused' || (own && outcome !== 'untried')
    return fine ? [] : [{ class: table.class, name: attempt.name, told: outcome }]
  })
}

async function logOf(stage: Stage, table: Table): Promise<string> {
  const spec = {
    ...shellJob(stage.image, '', { timeoutMs: 120_000, memoryBytes, pids: 64, runtime: stage.runtime }),
    argv: [busybox, 'sh', '-c', attemptScript(table.attempts)],
    ...table.spec,
  }
  const { exit, log } = await stage.agent.run(spec)
  stage.canaries.heard(log)
  if (exit.cause !== 'exited')
    console.error(`${table.class}: the sandbox ended by ${exit.cause} ${exit.detail}`)
  return log
}
