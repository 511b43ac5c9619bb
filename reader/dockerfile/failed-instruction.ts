import type { FailedInstruction } from '@sandbox-jobs/contract/resources/builds/build-details.ts'
import type { Dockerfile } from './dockerfile.ts'
import { neededStages } from './needed-stages.ts'
import type { StagedInstruction } from './stages.ts'

/*
 * Finds the instruction at which a builder stopped. The builder writes a line into a separate file before each instruction
 * except FROM, and one more when it leaves a stage for any reason (buildah 1.39, `--rusage-logfile`); output of instructions
 * goes elsewhere. It skips stages that the last one does not need. So the number of lines, and whether the
 * builder ended by itself or was killed, determine the instruction.
 */

/** The progress of a builder. */
export interface BuilderSteps {
  lines: number
  /** True if the builder ended by itself; false if it was killed with its sandbox. */
  hasEnded: boolean
}

export const instructionTextMax = 200

/** Undefined before the first instruction and after the last. */
export function failedInstruction(
  dockerfile: Dockerfile,
  { lines, hasEnded }: BuilderSteps,
): FailedInstruction | undefined {
  if (lines === 0 && hasEnded) return undefined
  let left = lines
  const needed = neededStages(dockerfile)
  for (const stage of needed) {
    const [from, ...steps] = dockerfile.instructions.flatMap((instruction) => {
      if (instruction.stage !== stage) return []
      return instruction.check === undefined ? [instruction] : [instruction, instruction]
    })
    const whole = steps.length + 1
    const isHere = hasEnded ? left <= whole : left < whole
    if (isHere) {
      // When a stage ends, its last line follows the line of the instruction that ended it.
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
  const words = [
    keyword,
    ...flags.map(({ name, value }) => (value === undefined ? `--${name}` : `--${name}=${value}`)),
    rest,
  ]
  const text = words.join(' ').slice(0, instructionTextMax).toWellFormed()
  return { line, stage: stage + 1, stage_name: stages[stage]?.alias ?? null, text }
}
