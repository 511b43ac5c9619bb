import { type DockerfileRefusal, keywords } from './dockerfile-refused.ts'
import { isRegistryReference } from './image-reference.ts'
import type { Flag, Instruction } from './instruction.ts'
import { isAllowedMount } from './mount-flag.ts'
import { isEarlierStage, type Stage, type StagedInstruction } from './stages.ts'

/** A rule for single physical lines, including comments. */
interface LineRule {
  slug: DockerfileRefusal
  violates: (line: string) => boolean
}

/** A rule for instructions in the context of their file. */
interface InstructionRule {
  slug: DockerfileRefusal
  violates: (instruction: StagedInstruction, stages: Stage[]) => boolean
}

/** The builder's own limit on a line. */
const MAX_LINE_BYTES = 64 * 1024 - 2

export const lineRules: LineRule[] = [
  { slug: 'line_too_long', violates: (line) => Buffer.byteLength(line) > MAX_LINE_BYTES },
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the rule matches control characters
  { slug: 'control_character', violates: (line) => /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/.test(line) },
  { slug: 'syntax_directive', violates: (line) => /^\s*(?:#|\/\/)\s*syntax\s*=/i.test(line) },
  { slug: 'escape_directive', violates: (line) => /^\s*#\s*escape\s*=/i.test(line) },
  // Some parsers trim or split at these characters, others do not.
  { slug: 'ambiguous_space', violates: (line) => !/^[\t ]*#/.test(line) && /[^\S\t ]|\u200b/.test(line) },
]

/** The builder's flags by instruction. Unknown flags of RUN have a separate slug. */
const knownFlags: Partial<Record<string, string[]>> = {
  FROM: ['platform'],
  ADD: ['chown', 'chmod'],
  COPY: ['from', 'chown', 'chmod'],
  HEALTHCHECK: ['interval', 'timeout', 'start-period', 'retries'],
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
  { slug: 'heredoc_unsupported', violates: hasHeredoc },
  { slug: 'platform_forbidden', violates: hasForeignPlatform },
  { slug: 'duplicate_stage', violates: repeatsAlias },
  { slug: 'base_reference_forbidden', violates: hasForbiddenBase },
  { slug: 'copy_from_forbidden', violates: copiesFromLaterStage },
  { slug: 'base_reference_forbidden', violates: copiesFromElsewhere },
  { slug: 'network_add', violates: addsFromNetwork },
  {
    slug: 'run_network_forbidden',
    violates: (instruction) => flagsOf(instruction, 'network').some(isForeignNetwork),
  },
  {
    slug: 'mount_forbidden',
    violates: (instruction) => flagsOf(instruction, 'mount').some(({ value }) => !isAllowedMount(value)),
  },
]

const flagsOf = ({ flags }: Instruction, name: string): Flag[] => flags.filter((flag) => flag.name === name)

function hasUnknownFlag({ keyword, flags }: Instruction): boolean {
  const known = knownFlags[keyword] ?? []
  const names = flags.map(({ name }) => name)
  // Parsers differ on which of two equal flags counts. Only mounts may repeat.
  const repeats = names.some((name, index) => name !== 'mount' && names.indexOf(name) !== index)
  return repeats || flags.some(({ name, value }) => !known.includes(name) || !value)
}

/** The builder does not know heredocs and would run their bodies as instructions. */
function hasHeredoc({ keyword, rest }: Instruction): boolean {
  return ['RUN', 'COPY', 'ADD'].includes(keyword) && /(?:^|[\t ])[0-9]*<<-?["']?[A-Za-z_]/.test(rest)
}

function hasForeignPlatform(instruction: Instruction): boolean {
  return flagsOf(instruction, 'platform').some(({ value }) => value !== 'linux/amd64')
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
function addsFromNetwork({ keyword, rest }: Instruction): boolean {
  if (keyword !== 'ADD') return false
  const words = rest.startsWith('[') ? jsonWords(rest) : rest.split(/[\t ]+/)
  return (
    words === undefined ||
    words.slice(0, -1).some((source) => /["'\\$]|:\/\/|^[a-z]+@|\.git(?:#|$)/i.test(source))
  )
}

function jsonWords(text: string): string[] | undefined {
  try {
    const words: unknown = JSON.parse(text)
    if (Array.isArray(words) && words.every((word) => typeof word === 'string')) return words
  } catch {}
  return undefined
}
