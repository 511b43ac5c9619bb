import { type ContextReads, contextReads, joinedReads } from './context-reads.ts'
import type { Dockerfile } from './dockerfile.ts'
import { neededStages } from './needed-stages.ts'
import type { StagedInstruction } from './stages.ts'

/** A place behind the first `count` instructions of a stage, its `FROM` not counted. */
export interface StagePlace {
  stage: number
  count: number
}

/** What of a Dockerfile a builder is to do. */
export interface PartialBuild {
  /** Stages that start from what their first instructions made before. */
  done: StagePlace[]
  /** Where it ends, instead of at its end; then it is given no word that its result does not depend on. */
  until?: StagePlace
}

/** Where the builder finds what the first instructions of a stage made. */
export const prefixFolder = (stage: number): string => `/workspace/prefixes/${stage}`

/**
 * The same file with only what is to be done in it, and all arguments, since no image has them; lines and stages are
 * those of the whole file.
 */
export function remainingBuild(dockerfile: Dockerfile, { done, until }: PartialBuild): Dockerfile {
  const stages = dockerfile.stages.slice(0, until && until.stage + 1).map((each, stage) => {
    const isDone = done.some((place) => place.stage === stage)
    return isDone ? { ...each, from: `dir:${prefixFolder(stage)}` } : each
  })
  const counts = new Map<number, number>()
  const instructions = dockerfile.instructions.filter(({ stage, keyword }) => {
    const count = counts.get(stage) ?? 0
    counts.set(stage, count + 1)
    if (stage >= stages.length || (stage === until?.stage && count > until.count)) return false
    const place = done.find((each) => each.stage === stage)
    return !place || count === 0 || count > place.count || keyword === 'ARG'
  })
  const remaining = { ...dockerfile, stages, instructions }
  if (!until) return remaining
  const needed = new Set([-1, ...neededStages(remaining)])
  const isNeeded = ({ stage, keyword }: StagedInstruction) => needed.has(stage) || keyword === 'FROM'
  return { ...remaining, instructions: instructions.filter(isNeeded) }
}

/** As the text that a builder reads. */
export function dockerfileText({ stages, instructions }: Dockerfile): string {
  const lines = instructions.map(({ keyword, stage, source }) => {
    const { from = '', alias } = stages[stage] ?? {}
    if (keyword !== 'FROM') return source
    return alias === undefined ? `FROM ${from}` : `FROM ${from} AS ${alias}`
  })
  return `${lines.join('\n')}\n`
}

/** All that the instructions may read of the context. */
export const readsOf = ({ instructions }: Dockerfile): ContextReads =>
  joinedReads(instructions.map(contextReads))
