import { text } from 'node:stream/consumers'
import { shellJob } from '../../server/executor/oci/test-agent.ts'
import type { SandboxExit, SandboxSpec } from '../../server/executor/port.ts'
import type { Failure } from './attempt.ts'
import type { Stage } from './stage.ts'

/** An attempt that wants a sandbox of its own, since how it ends is what counts. */
export interface Trial {
  name: string
  what: string
  /** What was wrong; undefined when it was contained. */
  run: (stage: Stage) => Promise<string | undefined>
}

export interface Trials {
  class: string
  trials: Trial[]
}

export async function makeTrials(stage: Stage, { class: kind, trials }: Trials): Promise<Failure[]> {
  const failures: Failure[] = []
  for (const { name, run } of trials) {
    const told = await run(stage).catch((error: unknown) => String(error))
    if (told !== undefined) failures.push({ class: kind, name, told })
  }
  return failures
}

/** Runs `script` in a sandbox of its own, and lets the canaries hear all that came out of it. */
export async function runScript(
  stage: Stage,
  script: string,
  limits: Partial<SandboxSpec['limits']> = {},
): Promise<{ exit: SandboxExit; log: string }> {
  const spec = shellJob(stage.image, script, { timeoutMs: 30_000, ...limits, runtime: stage.runtime })
  const ended = await stage.agent.run(spec)
  stage.canaries.heard(ended.log)
  const { client } = stage.agent
  if (ended.exit.files.output?.status === 'present')
    stage.canaries.heard(await text(await client.file(spec.id, 'output')))
  if (ended.exit.tree?.status === 'collected') stage.canaries.heard(await text(await client.tree(spec.id)))
  await client.remove(spec.id)
  return ended
}
