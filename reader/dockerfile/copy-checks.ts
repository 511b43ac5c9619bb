import type { ContextTree } from '../formats/context-tree.ts'
import { checkStep, sourcePath } from './check-step.ts'
import type { Dockerfile } from './dockerfile.ts'
import { jsonWords } from './grammar/json-words.ts'
import { shellWords } from './grammar/shell-words.ts'
import { earlierStage, type StagedInstruction } from './stages.ts'

/*
 * The builder puts a folder that COPY or ADD brings in the place of a link that the image has there, such as /bin, and a file in the
 * place of a folder, and says nothing. Docker refuses both. So a step of the platform before such an instruction compares
 * what it brings with the image, in the program `check` of the build script.
 */

/** Adds the checks that are needed to the instructions. */
export function withCopyChecks(dockerfile: Dockerfile, tree: Pick<ContextTree, 'folders'>): Dockerfile {
  const { stages } = dockerfile
  /** Stages in which a check leaves nothing that a step before it has not left: they have a base image, or ran one. */
  const ran = new Set<number>()
  for (const [stage, { from }] of stages.entries()) {
    const origin = earlierStage(from, stage, stages)
    if (from !== 'scratch' && (origin === undefined || ran.has(origin))) ran.add(stage)
  }
  const instructions = dockerfile.instructions.map((instruction) => {
    if (instruction.keyword === 'RUN') ran.add(instruction.stage)
    if (!ran.has(instruction.stage) || !mayReplace(instruction, tree)) return instruction
    const words = copiedWords(instruction)
    return words ? { ...instruction, check: checkText(instruction, words) } : instruction
  })
  return { ...dockerfile, instructions }
}

/** Whether an instruction may bring folders. The builder makes excluded ones too, if empty. */
function mayReplace(instruction: StagedInstruction, { folders }: Pick<ContextTree, 'folders'>): boolean {
  const { keyword, flags } = instruction
  if (keyword !== 'COPY' && keyword !== 'ADD') return false
  if (flags.some(({ name }) => name === 'from')) return true
  const [, ...sources] = copiedWords(instruction) ?? []
  return sources.some((source) => {
    const path = source.split('/').filter((part) => part !== '' && part !== '.')
    const isArchive = keyword === 'ADD' && !folders.has(path.join('/'))
    return isArchive || /[*?[$]/.test(source) || folders.has(path.join('/'))
  })
}

/** Plain text and variables, which mean the same in double quotes of a shell. */
const plainWord = /^(?!.*\$\()[^"'\\`]+$/

/** The destination and the sources; undefined for words whose meaning is not certain. */
function copiedWords({ rest, heredocs }: StagedInstruction): string[] | undefined {
  const texts = new Set(heredocs.map(({ word }) => word))
  const words = rest.startsWith('[') ? jsonWords(rest) : shellWords(rest)?.map(withoutQuotes)
  const plain = words?.filter((word) => !texts.has(word))
  const destination = plain?.at(-1)
  if (!plain || destination === undefined || plain.length < 2) return undefined
  return plain.every((word) => plainWord.test(word)) ? [destination, ...plain.slice(0, -1)] : undefined
}

const withoutQuotes = (word: string): string => /^"([^"]*)"$/.exec(word)?.[1] ?? word

function checkText({ keyword, flags, line }: StagedInstruction, words: string[]): string {
  const from = flags.find(({ name }) => name === 'from')?.value
  const source = from === undefined ? '' : `,from=${from}`
  return checkStep('check', [String(line), keyword, ...words], [`type=bind${source},target=${sourcePath}`])
}
