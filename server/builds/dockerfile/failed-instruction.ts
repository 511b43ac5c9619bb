import type { FailedInstruction } from '@sandbox-jobs/contract/resources/build-details.ts'
import type { Dockerfile } from './dockerfile.ts'
import { neededStages } from './needed-stages.ts'
import type { StagedInstruction } from './stages.ts'

/*
 * Which instruction a builder was at when it stopped. It writes a line into a file of its own before each instruction
 * but FROM, and one more when it leaves a stage, in whatever way (buildah 1.28, `--rusage-logfile`); what an instruction
 * prints goes elsewhere. Stages that the last one does not need are left out. So the number of lines, and whether the
 * builder came to its own end or was killed, say where it was.
 */

/** How far a builder came. */
export interface BuilderSteps {
  lines: number
  /** It ended by itself; else it was killed with its sandbox. */
  hasEnded: boolean
}

export const instructionTextMax = 200

/** Undefined when no instruction was at work: before the first, and after the last. */
export function failedInstruction(
  dockerfile: Dockerfile,
  { lines, hasEnded }: BuilderSteps,
): FailedInstruction | undefined {
  if (lines === 0 && hasEnded) return undefined
  let left = lines
  const needed = neededStages(dockerfile)
  for (const stage of needed) {
    const [from, ...steps] = dockerfile.instructions.filter((instruction) => instruction.stage === stage)
    const whole = steps.length + 1
    const isHere = hasEnded ? left <= whole : left < whole
    if (isHere) {
      // The line of a stage that was left stands behind that of the instruction it was left at.
      const step = hasEnded ? left - 2 : left - 1
      const at = step < 0 ? from : steps[step]
      return at && shown(at, dockerfile)
    }
    left -= whole
  }
  return undefined
}

function shown(
  { line, stage, keyword, flags, rest }: StagedInstruction,
  { stages }: Dockerfile,
): FailedInstruction {
  const words = [keyword, ...flags.map(({ name, value }) => `--${name}=${value}`), rest]
  const text = words.join(' ').slice(0, instructionTextMax).toWellFormed()
  return { line, stage: stage + 1, stage_name: stages[stage]?.alias ?? null, text }
}
