import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { installedPrograms } from '../../server/native-programs/installed.ts'
import { findProgram, hostPrograms } from '../host/host-checks.ts'
import { makePlatformLayer } from '../images/platform-layer.ts'
import { callNumbers } from './call-numbers.ts'
import { compileFilters } from './compiled-filters.ts'
import { filterProgram } from './filter-program.ts'
import { seccompProfile } from './seccomp.ts'

const profile = seccompProfile({ confinement: 'job', arch: 'x64', runtime: 'crun' })
const own = filterProgram(profile)
const arch = { x64: 0xc000_003e, i386: 0x4000_0003 }
let parent: string
let ofRuntime: Buffer

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'filter-program-'))
  const busybox = (await findProgram(hostPrograms.busybox)) ?? ''
  const { init, unpack } = installedPrograms(join(parent, 'native'), ['init', 'unpack'])
  const { path: layer } = await makePlatformLayer(join(parent, 'layers'), { busybox, init, unpack }, {})
  const { job } = await compileFilters('/usr/bin/crun', { layer, folder: join(parent, 'filters') })
  ofRuntime = Buffer.from(job, 'base64')
})
afterAll(() => rm(parent, { recursive: true }))

interface Call {
  number: number
  args?: readonly bigint[]
  arch?: number
}

/** Runs a filter as the kernel does, and returns its decision. */
function decide(filter: Buffer, { number, args = [], arch: of = arch.x64 }: Call): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(of, 4)
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(value, 16 + 8 * index)
  let accumulator = 0
  for (let at = 0; ; at += 1) {
    const code = filter.readUInt16LE(8 * at)
    const operand = filter.readUInt32LE(8 * at + 4)
    const skips = (holds: boolean) => filter.readUInt8(8 * at + (holds ? 2 : 3))
    if (code === 0x20) accumulator = data.readUInt32LE(operand)
    else if (code === 0x54) accumulator = (accumulator & operand) >>> 0
    else if (code === 0x05) at += operand
    else if (code === 0x15) at += skips(accumulator === operand)
    else if (code === 0x35) at += skips(accumulator >= operand)
    else if (code === 0x25) at += skips(accumulator > operand)
    else if (code === 0x45) at += skips((accumulator & operand) !== 0)
    else if (code === 0x06) return operand
    else throw new Error(`an instruction ${code}`)
  }
}

/** Values about those of the rules of a call, with either half of 64 bits changed. */
function valuesFor(name: string): bigint[] {
  const rules = profile.syscalls.filter(({ names }) => names.includes(name))
  const named = rules.flatMap(({ args = [] }) => args.flatMap(({ value, valueTwo = 0 }) => [value, valueTwo]))
  const near = [0, ...named].flatMap((value) => {
    const whole = BigInt(value)
    return [whole, whole + 1n, whole ^ 0x8000n, whole + (1n << 32n), whole | (1n << 63n)]
  })
  return [...new Set(near)]
}

/** Argument lists with the value in each place, beside what the rules of sockets and limits name. */
const placed = (value: bigint) => [
  [value],
  [1n, value],
  [0n, 0n, value],
  [0n, 0n, 0n, value],
  [2n, value, value],
  [value, 1n, 6n],
  [10n, 2n, value],
]

async function callsOfKernel(): Promise<[name: string, number: number][]> {
  const header = await readFile('/usr/include/x86_64-linux-gnu/asm/unistd_64.h', 'utf8')
  return [...header.matchAll(/^#define __NR_(\w+) (\d+)$/gm)].map(([, name = '', number]) => [
    name,
    Number(number),
  ])
}

test('every call has the number of the kernel', async () => {
  const known = await callsOfKernel()
  expect(known.length).toBeGreaterThan(350)
  expect(known.filter(([name, number]) => callNumbers.get(name) !== number)).toEqual([])
})

test('it decides as the filter of a runtime, for each call with each value in each argument', async () => {
  const calls = [
    ...(await callsOfKernel()),
    ...[335, 423, 500, 100_000].map((number) => ['none', number] as const),
  ]
  const differing: object[] = []
  for (const [name, number] of calls)
    for (const args of valuesFor(name).flatMap(placed)) {
      const [mine, others] = [own, ofRuntime].map((filter) => decide(filter, { number, args }))
      if (mine !== others) differing.push({ name, args: args.map(String), mine, others })
    }
  expect(differing).toEqual([])
})

test('calls of another architecture end the process, and those of x32 do not exist', () => {
  expect(decide(own, { number: 0, arch: arch.i386 })).toBe(0x8000_0000)
  expect(decide(own, { number: 0x4000_0000 })).toBe(0x0005_0026)
})
