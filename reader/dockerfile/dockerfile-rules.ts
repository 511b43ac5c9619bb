import { type DockerfileRefusal, keywords } from './dockerfile-refused.ts'
import { platform } from './from-arguments.ts'
import type { Flag } from './grammar/flags.ts'
import type { Instruction } from './grammar/instruction.ts'
import { jsonWords } from './grammar/json-words.ts'
import { isRegistryReference } from './image-reference.ts'
import { mountsOf, readMount } from './mount-flag.ts'
import { isEarlierStage, type Stage, type StagedInstruction } from './stages.ts'

/** A rule for single physical lines, including comments and the text of heredocs. */
interface LineRule {
  slug: DockerfileRefusal
  violates: (line: string) => boolean
}

/** A rule for instructions in the context of their file. */
interface InstructionRule {
  slug: DockerfileRefusal
  violates: (instruction: StagedInstruction, stages: Stage[]) => boolean
}

export const lineRules: LineRule[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the rule matches control characters
  { slug: 'control_character', violates: (line) => /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/.test(line) },
  { slug: 'syntax_directive', violates: (line) => /^\s*(?:#|\/\/)\s*syntax\s*=/i.test(line) },
  { slug: 'escape_directive', violates: (line) => /^\s*#\s*escape\s*=/i.test(line) },
]

/** The builder's flags by instruction. Unknown flags of RUN have a separate slug. */
const knownFlags: Partial<Record<string, string[]>> = {
  FROM: ['platform'],
  ADD: ['chown', 'chmod', 'checksum', 'exclude', 'link'],
  COPY: ['from', 'chown', 'chmod', 'exclude', 'link'],
  HEALTHCHECK: ['interval', 'timeout', 'start-period', 'start-interval', 'retries'],
  RUN: ['mount', 'network'],
}

export const instructionRules: InstructionRule[] = [
  { slug: 'unknown_instruction', violates: ({ keyword }) => !keywords.has(keyword) },
  { slug: 'onbuild_forbidden', violates: ({ keyword }) => keyword === 'ONBUILD' },
  { slug: 'missing_arguments', violates: ({ rest }) => rest === '' },
  { slug: 'instruction_before_from', violates: ({ keyword, stage }) => stage === -1 && keyword !== 'ARG' },
  {
    slug: 'run_flag_forbidden',
    violates: (instruction) => instruction.keyword === 'RUN' && hasUnknownFlag(instruction),
  },
  { slug: 'flag_unknown', violates: hasUnknownFlag },
  { slug: 'platform_forbidden', violates: hasForeignPlatform },
  { slug: 'duplicate_stage', violates: repeatsAlias },
  { slug: 'base_reference_forbidden', violates: hasForbiddenBase },
  { slug: 'copy_from_forbidden', violates: copiesFromLaterStage },
  { slug: 'base_reference_forbidden', violates: copiesFromElsewhere },
  { slug: 'network_add', violates: addsFromNetwork },
  {
    slug: 'checksum_without_address',
    violates: (instruction) => flagsOf(instruction, 'checksum').length > 0,
  },
  {
    slug: 'run_network_forbidden',
    violates: (instruction) => flagsOf(instruction, 'network').some(isForeignNetwork),
  },
  {
    slug: 'mount_forbidden',
    violates: (instruction) => flagsOf(instruction, 'mount').some(({ value }) => !readMount(value)),
  },
  { slug: 'mount_forbidden', violates: mountsFromElsewhere },
]

const flagsOf = ({ flags }: Instruction, name: string): Flag[] => flags.filter((flag) => flag.name === name)

function hasUnknownFlag({ keyword, flags }: Instruction): boolean {
  const known = knownFlags[keyword] ?? []
  const names = flags.map(({ name }) => name)
  // Parsers differ on which of two equal flags counts.
  const repeats = names.some((name, index) => !mayRepeat.has(name) && names.indexOf(name) !== index)
  return repeats || flags.some((flag) => !known.includes(flag.name) || !hasItsValue(flag))
}

const mayRepeat = new Set(['mount', 'exclude'])

/** Only `--link` may have no value. */
function hasItsValue({ name, value }: Flag): boolean {
  return name === 'link' ? value === undefined || /^(?:true|false)$/.test(value) : !!value
}

function hasForeignPlatform({ keyword, stage }: StagedInstruction, stages: Stage[]): boolean {
  const named = stages[stage]?.platform
  return keyword === 'FROM' && named !== undefined && named !== platform
}

/** Compared without case, since the builder and Docker differ on the case of stage names. */
function repeatsAlias({ keyword, stage }: StagedInstruction, stages: Stage[]): boolean {
  const alias = stages[stage]?.alias?.toLowerCase()
  if (keyword !== 'FROM' || alias === undefined) return false
  return stages.slice(0, stage).some((earlier) => earlier.alias?.toLowerCase() === alias)
}

function hasForbiddenBase({ keyword, stage }: StagedInstruction, stages: Stage[]): boolean {
  const from = stages[stage]?.from
  if (keyword !== 'FROM' || from === undefined) return false
  // `FROM debian AS debian` is common and means the image.
  const others = stages.filter((_stage, index) => index !== stage)
  return !isEarlierStage(from, stage, stages) && !isImage(from, others)
}

/** An index or the name of a stage that is not earlier. */
function copiesFromLaterStage(instruction: StagedInstruction, stages: Stage[]): boolean {
  const { stage } = instruction
  return flagsOf(instruction, 'from').some(({ value = '' }) => {
    if (/^[0-9]+$/.test(value)) return !(Number(value) < stage && String(Number(value)) === value)
    return !isEarlierStage(value, stage, stages) && isStage(value, stages)
  })
}

function copiesFromElsewhere(instruction: StagedInstruction, stages: Stage[]): boolean {
  const { stage } = instruction
  return flagsOf(instruction, 'from').some(
    ({ value = '' }) =>
      !/^[0-9]+$/.test(value) && !isEarlierStage(value, stage, stages) && !isImage(value, stages),
  )
}

/** A mount shows an earlier stage: an image would be one that the file does not list among its sources. */
function mountsFromElsewhere(instruction: StagedInstruction, stages: Stage[]): boolean {
  const { stage } = instruction
  return mountsOf(instruction).some(({ from }) => {
    if (from === undefined) return false
    if (/^[0-9]+$/.test(from)) return !(Number(from) < stage && String(Number(from)) === from)
    return !isEarlierStage(from, stage, stages)
  })
}

const isStage = (name: string, stages: Stage[]): boolean =>
  stages.some(({ alias }) => alias?.toLowerCase() === name.toLowerCase())

/** The name of a stage is never an image: the builder might choose either. */
const isImage = (name: string, stages: Stage[]): boolean =>
  name === 'scratch' || (isRegistryReference(name) && !isStage(name, stages))

/** Includes `none`: the builder would need a network namespace, which its sandbox forbids. */
function isForeignNetwork({ value }: Flag): boolean {
  return value !== 'default'
}

/**
 * Sources of ADD have to be plain local paths. The builder resolves quotes, backslashes and variables after
 * this check, so they could still form an address.
 */
function addsFromNetwork({ keyword, rest, heredocs }: Instruction): boolean {
  if (keyword !== 'ADD') return false
  const words = rest.startsWith('[') ? jsonWords(rest) : rest.split(/[\t ]+/)
  const texts = new Set(heredocs.map(({ word }) => word))
  const sources = words?.slice(0, -1).filter((source) => !texts.has(source))
  return sources?.some((source) => /["'\\$]|:\/\/|^[a-z]+@|\.git(?:#|$)/i.test(source)) ?? true
}
