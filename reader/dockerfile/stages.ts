import { DockerfileRefused } from './dockerfile-refused.ts'
import { FromArguments } from './from-arguments.ts'
import type { Instruction } from './grammar/instruction.ts'
import { isRegistryReference } from './image-reference.ts'

export interface Stage {
  line: number
  /** `scratch`, an earlier stage's alias or a registry reference, once the rules have passed. */
  from: string
  alias: string | undefined
  /** As `--platform` names it, with variables replaced; undefined if there is none. */
  platform: string | undefined
}

export interface StagedInstruction extends Instruction {
  /** Index of its stage; -1 for an ARG before the first FROM. */
  stage: number
  /** A step of the builder before the instruction, which fails in its place. */
  check?: string
}

export const MAX_STAGES = 64

export const stageAlias = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/

/** Assigns instructions to stages; throws on a FROM that is not of the form `FROM <image> [AS <name>]`. */
export function splitStages(instructions: Instruction[]): { stages: Stage[]; staged: StagedInstruction[] } {
  const stages: Stage[] = []
  const globals = new FromArguments()
  const staged = instructions.map((instruction) => {
    if (instruction.keyword === 'FROM') {
      if (stages.length === MAX_STAGES) throw new DockerfileRefused('too_many_stages', instruction.line)
      stages.push(parseFrom(instruction, globals))
    } else if (instruction.keyword === 'ARG' && stages.length === 0) globals.add(instruction)
    return { ...instruction, stage: stages.length - 1 }
  })
  return { stages, staged }
}

function parseFrom({ rest, line, flags }: Instruction, globals: FromArguments): Stage {
  if (rest.includes('$'))
    throw new DockerfileRefused('dynamic_from', line, { image: imageMeant(rest, globals) })
  const [from = '', as, name, ...more] = rest.split(/[\t ]+/)
  const written = flags.find((flag) => flag.name === 'platform')?.value
  const stage = { line, from, platform: written && platformOf(written, globals, line) }
  if (as === undefined) return { ...stage, alias: undefined }
  const isNamed = /^as$/i.test(as) && name !== undefined && stageAlias.test(name) && name !== 'scratch'
  if (!isNamed || more.length > 0) throw new DockerfileRefused('from_not_understood', line)
  return { ...stage, alias: name }
}

/** The image to write in place of one with variables. */
function imageMeant(rest: string, globals: FromArguments): string | undefined {
  const [from = ''] = rest.split(/[\t ]+/)
  const image = globals.replaceIn(from)
  return image !== undefined && (isRegistryReference(image) || stageAlias.test(image)) ? image : undefined
}

function platformOf(written: string, globals: FromArguments, line: number): string {
  const platform = globals.replaceIn(written)
  if (platform === undefined) throw new DockerfileRefused('platform_forbidden', line)
  return platform
}

/** True if the builder reads the name as a stage before `stage`. */
export const isEarlierStage = (name: string, stage: number, stages: Stage[]): boolean =>
  stages.slice(0, stage).some(({ alias }) => alias === name)

/** The index of the stage before `stage` that a name or number in `FROM` or `--from` refers to; undefined for an image. */
export function earlierStage(name: string, stage: number, stages: Stage[]): number | undefined {
  if (/^[0-9]+$/.test(name)) return Number(name)
  return isEarlierStage(name, stage, stages) ? stages.findIndex(({ alias }) => alias === name) : undefined
}
