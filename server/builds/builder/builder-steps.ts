import { createInterface } from 'node:readline'
import type { SandboxExit } from '../../../agent/port/sandbox-exit.ts'
import type { SandboxPort } from '../../../agent/port/sandboxes.ts'
import type { BuilderSteps } from '../../../reader/dockerfile/failed-instruction.ts'
import { builderEnded } from './build-script.ts'

/** Reads the builder's progress; undefined when the file is missing, or longer than any Dockerfile can make it. */
export async function readBuilderSteps(
  executor: Pick<SandboxPort, 'file'>,
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
