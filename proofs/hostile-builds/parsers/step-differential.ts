import { checkDockerfile } from '../../../reader/dockerfile/dockerfile.ts'
import { DockerfileRefused } from '../../../reader/dockerfile/dockerfile-refused.ts'
import type { Instruction } from '../../../reader/dockerfile/grammar/instruction.ts'
import { mountsOf } from '../../../reader/dockerfile/mount-flag.ts'
import { SeededRandom } from '../../../server/base/seeded-random.ts'
import { buildCommand } from '../../../server/builds/builder/build-script.ts'
import type { BuilderBench, Entries } from '../../../testing/builds/builder-bench.ts'
import { mutatedDockerfile } from './mutated-dockerfile.ts'

/*
 * Tests that the gate and the builder parse a Dockerfile alike. Dockerfiles are mutated at random; each is refused by the
 * gate, or the builder announces exactly the steps that the gate parsed. Nothing that the gate forbids may
 * happen: no mount shows the context's mark unless the gate has read one of the context, and no address is requested.
 */

/** Content of a context file that only a mount or a forbidden flag would print. */
const mark = 'seen-through-a-mount'

/** A Dockerfile as the gate reads it. */
interface Reading {
  /** The announced text of the steps of each stage. */
  steps: string[][]
  /** Whether a step has a mount of the context. */
  showsContext: boolean
}

/** Undefined if the gate refuses. */
function readByGate(text: string): Reading | undefined {
  try {
    const { stages, instructions } = checkDockerfile(Buffer.from(text))
    const steps = stages.map((_, stage) =>
      instructions.filter((each) => each.stage === stage).map(announcedText),
    )
    const mounts = instructions.flatMap((instruction) => mountsOf(instruction))
    return { steps, showsContext: mounts.some(({ contextPath }) => contextPath !== undefined) }
  } catch (error) {
    if (error instanceof DockerfileRefused) return undefined
    throw error
  }
}

/** As Go trims: a byte order mark is no space there, the control character NEL is one. */
const trimmed = (text: string): string =>
  text.replace(/^(?:(?!\ufeff)[\s\u0085])+|(?:(?!\ufeff)[\s\u0085])+$/g, '')

/** The builder shows the first line of each heredoc, and whether there are more. Here a line break is between the instruction and those. */
function announcedText({ text, heredocs }: Instruction): string {
  const shown = heredocs.map(({ lines }) => {
    const [first = '', ...more] = trimmed(lines.join('\n')).split('\n')
    return ` (${first}${more.length > 0 ? '...' : ''})`
  })
  return shown.length === 0 ? trimmed(text) : `${trimmed(text)}\n${trimmed(shown.join(''))}`
}

export interface DifferentialReport {
  refused: number
  /** Accepted by the gate and started by the builder. */
  compared: number
  /** Accepted by the gate, but refused by the builder before its first step. */
  refusedByBuilder: number
  failures: string[]
}

/** Compares `wanted` files that the gate accepts. */
export async function comparedParsers(
  bench: BuilderBench,
  wanted: number,
  seed: number,
): Promise<DifferentialReport> {
  const report: DifferentialReport = { refused: 0, compared: 0, refusedByBuilder: 0, failures: [] }
  const draw = new SeededRandom(seed)
  for (let left = wanted; left > 0; left -= 100) {
    const accepted: ({ text: string } & Reading)[] = []
    while (accepted.length < Math.min(100, left)) {
      const text = mutatedDockerfile(draw)
      const reading = readByGate(text)
      if (reading) accepted.push({ text, ...reading })
      else report.refused += 1
    }
    const logs = await buildAll(
      bench,
      accepted.map(({ text }) => text),
    )
    for (const [index, { text, ...reading }] of accepted.entries()) {
      const fault = compare(logs[index] ?? '', reading, report)
      if (fault) report.failures.push(`${JSON.stringify(text)}: ${fault}`)
    }
  }
  return report
}

async function buildAll(bench: BuilderBench, texts: string[]): Promise<string[]> {
  const script = `
set +e
for case in context/cases/*; do
  printf '\\n=== %s\\n' "$case"
  timeout -k 1 30 ${buildCommand} -t case -f $case context 2>&1 | head -c 20000
  buildah rm --all >/dev/null 2>&1
done`
  const context: Entries = [
    [{ name: 'context/m' }, mark],
    ...texts.map((text, index): Entries[number] => [
      { name: `context/cases/${String(index).padStart(3, '0')}` },
      text,
    ]),
  ]
  const { exit, log } = await bench.script(script, context)
  const logs = log.split(/^=== context\/cases\/\d+\n/m).slice(1)
  if (logs.length !== texts.length)
    throw new Error(`the builder ended early: ${exit.cause}\n${log.slice(-500)}`)
  return logs
}

const announced = /^(?:\[(\d+)\/(\d+)\] )?STEP (\d+)\/(\d+): (.*)$/gm

function compare(log: string, reading: Reading, report: DifferentialReport): string | undefined {
  if (/^(?:\[\d+\/\d+\] )?STEP /m.test(log)) report.compared += 1
  else report.refusedByBuilder += 1
  return differenceOf(log, reading)
}

/** The builder keeps spaces at the end of an instruction before the content of its heredocs. */
function isAnnounced(step: string, announcement: string): boolean {
  const [text = '', heredocs = ''] = step.split('\n')
  const there = trimmed(announcement)
  return there.startsWith(text) && trimmed(there.slice(text.length)) === heredocs
}

/** The first difference between the builder's log and what the gate read; undefined if there is none. */
export function differenceOf(log: string, { steps, showsContext }: Reading): string | undefined {
  if (!showsContext && log.includes(mark)) return 'a mount that the gate has not seen'
  if (/dial tcp|lookup |connection refused|--from=docker-archive:/.test(log))
    return 'an address that the gate has not seen'
  for (const [, stage = '1', stages = '1', step = '', count = '', text = ''] of log.matchAll(announced)) {
    const ours = steps[Number(stage) - 1]
    if (Number(stages) !== steps.length) return `${steps.length} stages here, ${stages} there`
    if (Number(count) !== ours?.length) return `${ours?.length} steps here, ${count} there`
    const own = ours[Number(step) - 1] ?? ''
    // For a stage that starts from another, the builder shows the image's id.
    const isSame = isAnnounced(own, text) || (step === '1' && /^from\s/i.test(own))
    if (!isSame) return `${JSON.stringify(own)} here, ${JSON.stringify(text)} there`
  }
  return undefined
}
