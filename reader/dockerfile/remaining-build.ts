import { builderText } from './builder-text.ts'
import { type ContextReads, contextReads, joinedReads } from './context-reads.ts'
import type { Dockerfile } from './dockerfile.ts'
import { neededStages } from './needed-stages.ts'
import type { StagedInstruction } from './stages.ts'

/** The position after the first `count` instructions of a stage, not counting its `FROM`. */
export interface StagePosition {
  stage: number
  count: number
}

/** The part of a Dockerfile that a builder runs. */
export interface PartialBuild {
  /** Positions up to which stages are cached. */
  done: StagePosition[]
  /** The position at which the build ends. The builder then gets only what the result depends on. */
  until?: StagePosition
  /** `NAME=value`: arguments that every stage declares first. */
  stageArguments?: string[]
}

/** The folder in the build sandbox that has the cached result of a stage. */
export const cachedStageFolder = (stage: number): string => `/workspace/prefixes/${stage}`

/**
 * The Dockerfile without the cached instructions, but with all arguments, since no image has them. Lines and stages keep
 * their numbers from the whole file.
 */
export function remainingBuild(dockerfile: Dockerfile, partial: PartialBuild): Dockerfile {
  const { done, until, stageArguments = [] } = partial
  const stages = dockerfile.stages.slice(0, until && until.stage + 1).map((each, stage) => {
    const isDone = done.some((place) => place.stage === stage)
    return isDone ? { ...each, from: `dir:${cachedStageFolder(stage)}` } : each
  })
  const counts = new Map<number, number>()
  const instructions = dockerfile.instructions.filter(({ stage, keyword }) => {
    const count = counts.get(stage) ?? 0
    counts.set(stage, count + 1)
    if (stage >= stages.length || (stage === until?.stage && count > until.count)) return false
    const built = done.find((each) => each.stage === stage)
    return !built || count === 0 || count > built.count || keyword === 'ARG'
  })
  const declared = instructions.flatMap((each) => [each, ...declarations(each, stageArguments)])
  const remaining = { ...dockerfile, stages, instructions: declared }
  if (!until) return remaining
  const needed = new Set([-1, ...neededStages(remaining)])
  const isNeeded = ({ stage, keyword }: StagedInstruction) => needed.has(stage) || keyword === 'FROM'
  return { ...remaining, instructions: declared.filter(isNeeded) }
}

/** The declaration of these arguments after `FROM`: they are variables of the steps, and part of no image. */
function declarations(from: StagedInstruction, stageArguments: readonly string[]): StagedInstruction[] {
  if (from.keyword !== 'FROM' || stageArguments.length === 0) return []
  const rest = stageArguments.join(' ')
  const text = `ARG ${rest}`
  return [{ ...from, keyword: 'ARG', flags: [], rest, text, source: text }]
}

/** The text for the builder. */
export function dockerfileText({ stages, instructions }: Dockerfile): string {
  const lines = instructions.map((instruction) => {
    const { from = '', alias } = stages[instruction.stage] ?? {}
    if (instruction.check !== undefined) return `${instruction.check}\n${builderText(instruction)}`
    if (instruction.keyword !== 'FROM') return builderText(instruction)
    return alias === undefined ? `FROM ${from}` : `FROM ${from} AS ${alias}`
  })
  return `${lines.join('\n')}\n`
}

/** The context paths that the instructions may read. */
export const readsOf = ({ instructions }: Dockerfile): ContextReads =>
  joinedReads(instructions.map(contextReads))
