import { isUtf8 } from 'node:buffer'
import { DockerfileRefused, nearKeyword } from './dockerfile-refused.ts'
import { instructionRules, lineRules } from './dockerfile-rules.ts'
import { readInstructions } from './grammar/instruction.ts'
import { earlierStage, isEarlierStage, type Stage, type StagedInstruction, splitStages } from './stages.ts'

/*
 * The gate in front of the builder. It parses a Dockerfile as buildah 1.39 does, and refuses what the rules of the
 * contract forbid and everything that two parsers could read differently: a file that passes means the same
 * to this parser and to the builder. The gate and the builder's sandbox do not rely on each other.
 *
 *   bytes -> physical lines     size, encoding, control characters, directives    (lineRules)
 *         -> logical lines      continuations joined, comments dropped            (grammar/instruction.ts)
 *         -> instructions       keyword, plain flags, rest, heredocs              (grammar/)
 *         -> stages             FROM and its alias                                (stages.ts)
 *         -> every instruction against every rule of the table                    (instructionRules)
 *
 * A new rule is a line in `dockerfile-rules.ts`, its slug in `dockerfile-refused.ts`, and cases in the test.
 */

export const MAX_DOCKERFILE_BYTES = 1024 * 1024
/** Each is an argument of the build script. */
export const MAX_BASES = 64

/** Four times the maximum number of layers of a Docker image. Each instruction costs a process of the builder. */
export const MAX_INSTRUCTIONS = 500

export interface Dockerfile {
  stages: Stage[]
  instructions: StagedInstruction[]
  /** Registry references of FROM and COPY --from that the builder needs, each once. None starts with `-`. */
  bases: string[]
  /** The one that the image of the last stage is built on; undefined if that is `scratch`. */
  finalBase: string | undefined
}

/** Contract, Dockerfile rules, and decision D7. Throws `DockerfileRefused`, for the first line that breaks a rule. */
export function checkDockerfile(bytes: Buffer): Dockerfile {
  if (bytes.length > MAX_DOCKERFILE_BYTES) throw new DockerfileRefused('dockerfile_too_large', 1)
  if (!isUtf8(bytes)) throw new DockerfileRefused('dockerfile_not_utf8', 1)
  const lines = bytes
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    const broken = lineRules.find(({ violates }) => violates(line))
    if (broken) throw new DockerfileRefused(broken.slug, index + 1)
  }
  const { stages, staged } = splitStages(readInstructions(lines))
  const surplus = staged[MAX_INSTRUCTIONS]
  if (surplus) throw new DockerfileRefused('too_many_instructions', surplus.line)
  for (const instruction of staged) {
    const broken = instructionRules.find(({ violates }) => violates(instruction, stages))
    const meant = broken?.slug === 'unknown_instruction' ? nearKeyword(instruction.keyword) : undefined
    if (broken) throw new DockerfileRefused(broken.slug, instruction.line, { meant })
  }
  if (stages.length === 0) throw new DockerfileRefused('no_from', lines.length)
  return { stages, instructions: staged, bases: basesOf(stages, staged), finalBase: finalBaseOf(stages) }
}

/** Follows the last stage through the stages that it starts from. */
function finalBaseOf(stages: Stage[]): string | undefined {
  let at = stages.length - 1
  for (;;) {
    const from = stages[at]?.from
    if (from === undefined || from === 'scratch') return undefined
    const earlier = isEarlierStage(from, at, stages) ? earlierStage(from, at, stages) : undefined
    if (earlier === undefined) return from
    at = earlier
  }
}

function basesOf(stages: Stage[], instructions: StagedInstruction[]): string[] {
  const bases = new Set<string>()
  for (const { keyword, flags, stage, line } of instructions) {
    const copied = flags.filter(({ name }) => name === 'from').map(({ value = '' }) => value)
    const from = keyword === 'FROM' ? (stages[stage]?.from ?? '') : undefined
    for (const name of from === undefined ? copied : [from]) {
      const isImage = name !== 'scratch' && !/^[0-9]+$/.test(name) && !isEarlierStage(name, stage, stages)
      if (isImage) bases.add(name)
    }
    if (bases.size > MAX_BASES) throw new DockerfileRefused('too_many_bases', line)
  }
  return [...bases]
}
