import { createInterface } from 'node:readline'
import type { Executor, SandboxExit } from '../executor/port.ts'
import { builderEnded } from './build-script.ts'
import type { BuilderSteps } from './dockerfile/failed-instruction.ts'

/** How far the builder of a sandbox came; undefined where its file is not there, or longer than any Dockerfile makes it. */
export async function readBuilderSteps(
  executor: Pick<Executor, 'file'>,
  sandboxId: string,
  exit: SandboxExit,
): Promise<BuilderSteps | undefined> {
  if (exit.files.steps?.status !== 'present') return undefined
  const steps: BuilderSteps = { lines: 0, hasEnded: false }
  const input = await executor.file(sandboxId, 'steps')
  try {
    for await (const line of createInterface({ input })) {
      if (line === builderEnded) return { ...steps, hasEnded: true }
      steps.lines += 1
    }
    return steps
  } finally {
    input.destroy()
  }
}
