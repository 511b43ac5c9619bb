import { text } from 'node:stream/consumers'
import type { SandboxExit } from '../../agent/port/sandbox-exit.ts'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { shellJob } from '../../testing/agent/test-agent.ts'
import type { Failure } from './attempt.ts'
import type { Testbed } from './testbed.ts'

/** An attempt in a separate sandbox, because its result is how the sandbox ends. */
export interface Trial {
  name: string
  what: string
  /** Returns the violation; undefined if the attempt was contained. */
  run: (testbed: Testbed) => Promise<string | undefined>
}

export interface Trials {
  class: string
  trials: Trial[]
}

export async function makeTrials(testbed: Testbed, { class: kind, trials }: Trials): Promise<Failure[]> {
  const failures: Failure[] = []
  for (const { name, run } of trials) {
    const outcome = await run(testbed).catch((error: unknown) => String(error))
    if (outcome !== undefined) failures.push({ class: kind, name, outcome })
  }
  return failures
}

/** Runs `script` in a new sandbox, and checks all of its output for canary secrets. */
export async function runScript(
  testbed: Testbed,
  script: string,
  limits: Partial<SandboxSpec['limits']> = {},
): Promise<{ exit: SandboxExit; log: string }> {
  const spec = shellJob(testbed.image, script, { timeoutMs: 30_000, ...limits, runtime: testbed.runtime })
  const ended = await testbed.agent.run(spec)
  testbed.canaries.checkOutput(ended.log)
  const { client } = testbed.agent
  if (ended.exit.files.output?.status === 'present')
    testbed.canaries.checkOutput(await text(await client.file(spec.id, 'output')))
  if (ended.exit.tree?.status === 'collected')
    testbed.canaries.checkOutput(await text(await client.tree(spec.id)))
  await client.remove(spec.id)
  return ended
}
