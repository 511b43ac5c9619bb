import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { attemptScript, outcomeOf } from '../../testing/agent/probe/attempts.ts'
import { busybox, shellJob } from '../../testing/agent/test-agent.ts'
import type { Testbed } from './testbed.ts'

/** One attempt of a hostile program: a shell command that succeeds if it got something forbidden. */
export interface Attempt {
  name: string
  what: string
  command: string
  /** Absent: the command must fail. `contained`: it may succeed inside its sandbox; the canaries decide. */
  expected?: 'contained'
  /** Why the command may succeed under gVisor, which answers from its own kernel; the canaries decide. */
  gvisorNote?: string
}

/** Attempts made in one sandbox, one after another. */
export interface Table {
  class: string
  attempts: Attempt[]
  /** Changes to the default specification. */
  spec?: Partial<SandboxSpec>
}

export interface Failure {
  class: string
  name: string
  outcome: string
}

const memoryBytes = 256 * 2 ** 20
/** Makes the attempts in one sandbox; returns those with a wrong result. */
export async function makeAttempts(testbed: Testbed, table: Table): Promise<Failure[]> {
  const log = await logOf(testbed, table)
  return table.attempts.flatMap((attempt) => {
    const outcome = outcomeOf(log, attempt.name)
    const own = attempt.expected === 'contained' || (testbed.runtime === 'runsc' && attempt.gvisorNote)
    const fine = outcome === 'refused' || (own && outcome !== 'untried')
    return fine ? [] : [{ class: table.class, name: attempt.name, outcome }]
  })
}

async function logOf(testbed: Testbed, table: Table): Promise<string> {
  const spec = {
    ...shellJob(testbed.image, '', { timeoutMs: 120_000, memoryBytes, pids: 64, runtime: testbed.runtime }),
    argv: [busybox, 'sh', '-c', attemptScript(table.attempts)],
    ...table.spec,
  }
  const { exit, log } = await testbed.agent.run(spec)
  testbed.canaries.checkOutput(log)
  if (exit.cause !== 'exited')
    console.error(`${table.class}: the sandbox ended by ${exit.cause} ${exit.detail}`)
  return log
}
