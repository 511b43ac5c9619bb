import type { Dockerfile } from './dockerfile.ts'
import { mountsOf } from './mount-flag.ts'
import { earlierStage, type StagedInstruction } from './stages.ts'

type Stages = Pick<Dockerfile, 'stages' | 'instructions'>

/** The stages that a builder runs, in the order of the file: the last stage and its transitive sources. */
export function neededStages(dockerfile: Stages): number[] {
  const needed = new Set([dockerfile.stages.length - 1])
  for (let stage = dockerfile.stages.length - 1; stage >= 0; stage -= 1) {
    if (!needed.has(stage)) continue
    for (const source of stagesOf(stage, dockerfile)) needed.add(source)
  }
  return [...needed].toSorted((one, other) => one - other)
}

/** Earlier stages that a stage starts or copies from. */
function stagesOf(stage: number, { stages, instructions }: Stages): number[] {
  const copied = instructions
    .filter((instruction) => instruction.stage === stage)
    .flatMap((instruction) => sourcesOf(instruction))
  const names = [stages[stage]?.from ?? '', ...copied]
  return names.map((name) => earlierStage(name, stage, stages)).filter((source) => source !== undefined)
}

/** Names of the stages and images that an instruction copies from or shows. */
export const sourcesOf = (instruction: Pick<StagedInstruction, 'keyword' | 'flags'>): string[] => [
  ...instruction.flags.filter(({ name }) => name === 'from').map(({ value = '' }) => value),
  ...mountsOf(instruction).flatMap(({ from }) => (from === undefined ? [] : [from])),
]
