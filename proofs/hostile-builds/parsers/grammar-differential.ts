import { checkDockerfile, type Dockerfile } from '../../../reader/dockerfile/dockerfile.ts'
import { DockerfileRefused } from '../../../reader/dockerfile/dockerfile-refused.ts'
import type { Instruction } from '../../../reader/dockerfile/grammar/instruction.ts'
import { dockerfileText } from '../../../reader/dockerfile/remaining-build.ts'
import { SeededRandom } from '../../../server/base/seeded-random.ts'
import type { BuilderParser, ParsedFile } from './builder-parser.ts'
import { mutatedDockerfile } from './mutated-dockerfile.ts'

/*
 * The gate against the builder's own parser, compiled from the same source package: every instruction of a file that the gate
 * accepts has the same lines, text, flags and heredocs for both, and so has the text that the gate writes for the builder.
 */

export interface GrammarReport {
  refused: number
  compared: number
  failures: string[]
}

const atOnce = 2000

/** Compares those of `count` mutated Dockerfiles that the gate accepts. */
export async function comparedGrammars(
  parser: Pick<BuilderParser, 'parse'>,
  count: number,
  seed: number,
): Promise<GrammarReport> {
  const report: GrammarReport = { refused: 0, compared: 0, failures: [] }
  const draw = new SeededRandom(seed)
  for (let left = count; left > 0; left -= atOnce) {
    const texts = Array.from({ length: Math.min(left, atOnce) }, () => mutatedDockerfile(draw))
    await compareFiles(parser, texts, report)
  }
  return report
}

/** Adds the differences to the report. */
export async function compareFiles(
  parser: Pick<BuilderParser, 'parse'>,
  texts: string[],
  report: GrammarReport,
): Promise<void> {
  const accepted = texts.flatMap((text) => {
    const dockerfile = gateOf(text)
    return dockerfile ? [{ text, dockerfile, written: dockerfileText(dockerfile) }] : []
  })
  report.refused += texts.length - accepted.length
  report.compared += accepted.length
  const own = await parser.parse(accepted.map(({ text }) => text))
  const written = await parser.parse(accepted.map((each) => each.written))
  for (const [index, { text, dockerfile, written: translated }] of accepted.entries()) {
    const fault =
      differenceBetween(dockerfile, own[index]) ?? translationFault(dockerfile, translated, written[index])
    if (fault) report.failures.push(`${JSON.stringify(text)}: ${fault}`)
  }
}

function gateOf(text: string): Dockerfile | undefined {
  try {
    return checkDockerfile(Buffer.from(text))
  } catch (error) {
    if (error instanceof DockerfileRefused) return undefined
    throw error
  }
}

function translationFault(
  dockerfile: Dockerfile,
  translated: string,
  parsed: ParsedFile | undefined,
): string | undefined {
  const again = gateOf(translated)
  if (!again) return 'the gate refuses its own text'
  const keywords = ({ instructions }: Dockerfile) => instructions.map(({ keyword }) => keyword).join()
  if (keywords(again) !== keywords(dockerfile)) return 'the gate writes other instructions'
  const fault = differenceBetween(again, parsed)
  return fault && `as written for the builder: ${fault}`
}

/** The first difference; undefined if there is none. */
export function differenceBetween(
  { instructions }: Dockerfile,
  parsed: ParsedFile | undefined,
): string | undefined {
  // A file that the builder refuses means nothing to it.
  if (parsed?.error !== undefined) return undefined
  if (parsed?.escape !== '\\') return 'another escape character'
  if (parsed.instructions.length !== instructions.length)
    return `${instructions.length} instructions here, ${parsed.instructions.length} there`
  for (const [index, instruction] of instructions.entries()) {
    const [ours, theirs] = [
      JSON.stringify(seen(instruction)),
      JSON.stringify(normal(parsed.instructions[index])),
    ]
    if (ours !== theirs) return `${ours} here, ${theirs} there`
  }
  return undefined
}

const seen = ({ keyword, flags, text, line, source, heredocs }: Instruction) => ({
  keyword: keyword.toLowerCase(),
  flags: flags.map(({ name, value }) => (value === undefined ? `--${name}` : `--${name}=${value}`)),
  text,
  start: line,
  // A continuation at the end of the file reaches over blank lines, for the builder.
  end: heredocs.length > 0 ? line - 1 + source.split('\n').length : 0,
  heredocs: heredocs.map(({ name, lines, isQuoted, stripsTabs }) => ({
    name,
    content: lines.map((each) => `\n${each}`).join(''),
    expand: !isQuoted,
    chomp: stripsTabs,
  })),
})

const normal = (parsed: ParsedFile['instructions'][number] | undefined) =>
  parsed && {
    ...parsed,
    flags: parsed.flags ?? [],
    text: parsed.text.trim(),
    end: parsed.heredocs.length > 0 ? parsed.end : 0,
  }
