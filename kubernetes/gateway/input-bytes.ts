import { posix } from 'node:path'
import { ExecutorRefused } from '../../agent/port/errors.ts'
import { knownContentsMax, knownRecords } from '../../agent/port/known-contents.ts'
import type { CollectedPath, SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import type { ProgramInput } from '../../agent/port/start-input.ts'

/* The bytes that a collector gets of a start (README.md, Input): numbers are little endian, and each part has its length before it. */

const frameBytes = 1 << 16
const valuesMax = 100
const valueBytesMin = 4
const valueBytesMax = 64 * 1024
const valuesBytesMax = 256 * 1024

/** Everything before the input of the program. Refuses what a collector would not take. */
export function inputHead(spec: SandboxSpec, { masked = [], known = [] }: ProgramInput): Buffer {
  if (known.length > knownContentsMax)
    throw new ExecutorRefused('spec_invalid', 'there are too many known contents')
  return Buffer.concat([
    ...sized(Buffer.from(planOf(spec))),
    ...sized(programOf(spec)),
    ...sized(knownRecords(known)),
    ...startSignal(spec, masked),
  ])
}

/** The input of the program, which ends with an empty frame. */
export async function* inputFrames(bytes: ProgramInput['bytes']): AsyncGenerator<Buffer, void> {
  const chunks: AsyncIterable<Buffer> | Buffer[] = Buffer.isBuffer(bytes) ? [bytes] : bytes
  for await (const chunk of chunks)
    for (let from = 0; from < chunk.length; from += frameBytes)
      yield Buffer.concat(sized(chunk.subarray(from, from + frameBytes)))
  yield lengthOf(0)
}

function planOf({ limits, collect, network }: SandboxSpec): string {
  const { egressCapBytes, ingressCapBytes } = network === 'none' ? {} : network
  const lines: (string | number)[][] = [
    ['log_bytes', limits.logBytes],
    ['grace_ms', limits.graceMs ?? 0],
    ['open_files', limits.openFiles],
    ['pids', limits.pids],
    ['collect_seconds', collectSeconds],
    ...collect.files.map(({ maxBytes, path }) => ['collect_file', maxBytes, belowWorkspace(path)]),
    ...(collect.tree ? [['collect_tree', ...collectedPath(collect.tree)]] : []),
    ...(collect.folder ? [['collect_folder', ...collectedPath(collect.folder)]] : []),
    ...(egressCapBytes === undefined ? [] : [['egress_cap', egressCapBytes]]),
    ...(ingressCapBytes === undefined ? [] : [['ingress_cap', ingressCapBytes]]),
  ]
  return lines.map((fields) => `${onOneLine(fields.join(' '))}\n`).join('')
}

/** The credential of the collector ends 120 seconds after the program has to. */
const collectSeconds = 60

const collectedPath = ({ path, maxFiles, maxBytes, maxPathBytes, maxNameBytes }: CollectedPath) => [
  ...[maxFiles, maxBytes, maxPathBytes, maxNameBytes],
  belowWorkspace(path),
]

const belowWorkspace = (path: string) => posix.relative('/workspace', path) || '.'

function onOneLine(text: string): string {
  if (/[\n\0]/.test(text)) throw new ExecutorRefused('spec_invalid', 'a path has a line break')
  return text
}

function programOf({ argv, env }: SandboxSpec): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const words = [...argv, '', ...variables]
  if (argv.includes('') || words.some((word) => word.includes('\0')))
    throw new ExecutorRefused('spec_invalid', 'a word of the program is empty or has a zero byte')
  return Buffer.from(words.map((word) => `${word}\0`).join(''))
}

function startSignal({ limits }: SandboxSpec, masked: readonly string[]): Buffer[] {
  const values = masked.map((value) => Buffer.from(value, 'utf8'))
  const total = values.reduce((sum, { length }) => sum + length, 0)
  const refuse = (slug: 'mask_values' | 'mask_too_short' | 'mask_too_long' | 'mask_total') => {
    throw new ExecutorRefused(slug, `the values to mask are refused: ${slug}`)
  }
  if (values.length > valuesMax) refuse('mask_values')
  if (values.some(({ length }) => length < valueBytesMin)) refuse('mask_too_short')
  if (values.some(({ length }) => length > valueBytesMax)) refuse('mask_too_long')
  if (total > valuesBytesMax) refuse('mask_total')
  const timeout = Buffer.alloc(8)
  timeout.writeBigUInt64LE(BigInt(limits.timeoutMs))
  return [timeout, lengthOf(values.length), ...values.flatMap(sized)]
}

const sized = (bytes: Buffer): Buffer[] => [lengthOf(bytes.length), bytes]

function lengthOf(count: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(count)
  return bytes
}
