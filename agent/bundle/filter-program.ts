import { callNumbers } from './call-numbers.ts'
import type { SeccompProfile, SeccompRule } from './seccomp.ts'

/*
 * A filter of system calls in the kernel's format: instructions of 8 bytes over `struct seccomp_data`, which has the number of the call at 0,
 * the architecture at 4, and each argument of 64 bits from 16 on.
 */

const load = 0x20
const and = 0x54
const isEqual = 0x15
const isAtLeast = 0x35
const isAbove = 0x25
const leave = 0x06

const returns = { allow: 0x7fff_0000, error: 0x0005_0000, kill: 0x8000_0000 }
const auditArchX64 = 0xc000_003e
/** Calls of the x32 ABI have this bit. */
const x32Bit = 0x4000_0000

/** `then` and `other` are instructions to skip where the comparison holds and where it does not. */
type Step = readonly [code: number, operand: number, then?: number, other?: number]

/**
 * The filter for a profile of x86-64: the same decisions as those of a runtime's compiler, so a pod has them without one. Calls without a
 * number, which newer kernels have, are left out, as the kernel of the profile would.
 */
export function filterProgram({ syscalls, defaultErrnoRet }: SeccompProfile): Buffer {
  const otherwise: Step = [leave, returns.error | defaultErrnoRet]
  const rules = rulesByNumber(syscalls)
  const steps: Step[] = [
    [load, 4],
    [isEqual, auditArchX64, 1, 0],
    [leave, returns.kill],
    [load, 0],
    [isAtLeast, x32Bit, 0, 1],
    otherwise,
    ...plainRanges(rules).flatMap(([from, to]) => rangeSteps(from, to)),
    ...[...rules].flatMap(([number, ofCall]) =>
      ofCall.some(isPlain) ? [] : callSteps(number, ofCall, otherwise),
    ),
    otherwise,
  ]
  return encoded(steps)
}

const isPlain = ({ action, args }: SeccompRule) => action === 'SCMP_ACT_ALLOW' && args === undefined

function rulesByNumber(syscalls: readonly SeccompRule[]): Map<number, SeccompRule[]> {
  const rules = new Map<number, SeccompRule[]>()
  for (const rule of syscalls)
    for (const name of rule.names) {
      const number = callNumbers.get(name)
      if (number !== undefined) rules.set(number, [...(rules.get(number) ?? []), rule])
    }
  return rules
}

/** Calls that are allowed with any arguments, as ranges of their numbers. */
function plainRanges(rules: ReadonlyMap<number, SeccompRule[]>): [from: number, to: number][] {
  const numbers = [...rules].flatMap(([number, ofCall]) => (ofCall.some(isPlain) ? [number] : []))
  const ranges: [number, number][] = []
  for (const number of numbers.sort((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else ranges.push([number, number])
  }
  return ranges
}

const rangeSteps = (from: number, to: number): Step[] => [
  [isAtLeast, from, 0, 2],
  [isAbove, to, 1, 0],
  [leave, returns.allow],
]

/** A call that depends on its arguments: the first rule that holds decides. The number is loaded again for what follows another call. */
function callSteps(number: number, rules: readonly SeccompRule[], otherwise: Step): Step[] {
  const body = [...rules.flatMap(ruleSteps), otherwise]
  // A jump by more than 255 instructions needs one of its own kind.
  const jump = 0x05
  return [[load, 0], [isEqual, number, 1, 0], [jump, body.length], ...body]
}

function ruleSteps({ action, errnoRet = 0, args = [] }: SeccompRule): Step[] {
  const result: Step = [leave, action === 'SCMP_ACT_ALLOW' ? returns.allow : returns.error | errnoRet]
  const steps: Step[] = [result]
  // Where one does not hold, the rest of the rule is skipped.
  for (const test of args.map(testSteps).toReversed()) steps.unshift(...test(steps.length))
  return steps
}

/** Steps that go on where the argument is as wanted, and otherwise skip `rest` instructions after them. */
function testSteps({ index, value, valueTwo = 0, op }: NonNullable<SeccompRule['args']>[number]) {
  const low = 16 + 8 * index
  const high = low + 4
  const wanted: Record<string, (rest: number) => Step[]> = {
    SCMP_CMP_EQ: (rest) => [
      [load, high],
      [isEqual, 0, 0, rest + 2],
      [load, low],
      [isEqual, value, 0, rest],
    ],
    SCMP_CMP_NE: (rest) => [
      [load, high],
      [isEqual, 0, 0, 2],
      [load, low],
      [isEqual, value, rest, 0],
    ],
    // Masks of 32 bits: the upper half does not matter.
    SCMP_CMP_MASKED_EQ: (rest) => [
      [load, low],
      [and, value],
      [isEqual, valueTwo, 0, rest],
    ],
  }
  const made = wanted[op]
  if (!made) throw new Error(`the filter knows no comparison ${op}`)
  return made
}

const skipsMax = 255

function encoded(steps: readonly Step[]): Buffer {
  const bytes = Buffer.alloc(8 * steps.length)
  for (const [at, [code, operand, then = 0, other = 0]] of steps.entries()) {
    if (then > skipsMax || other > skipsMax) throw new Error('an instruction skips too many others')
    bytes.writeUInt16LE(code, 8 * at)
    bytes.writeUInt8(then, 8 * at + 2)
    bytes.writeUInt8(other, 8 * at + 3)
    bytes.writeUInt32LE(operand >>> 0, 8 * at + 4)
  }
  return bytes
}
