import { type Anchor, type Node, parsePattern } from './parse-pattern.ts'

/*
 * Matches tenants' regular expressions in linear time. A text is read once, from left to right, with the set of all
 * steps that the pattern could be at; a backtracking engine would try them one after the other. Whether a single code
 * point matches is decided by the engine, so that classes and properties keep their meaning.
 */

/** Maximum steps of a pattern with its repetitions expanded: a text costs at most this many for each character. */
const stepsMax = 5000

type Step =
  | { kind: 'one'; is: (point: string) => boolean }
  | { kind: 'at'; place: Anchor }
  /** Continues at each of them. */
  | { kind: 'fork'; to: number[] }
  | { kind: 'end' }

export interface TextTest {
  test(text: string): boolean
}

/**
 * The test of `regexp`, which has only the flag `u`, in time linear in the text. Returns the expression itself if it
 * has lookaround or backreferences, or is too long when expanded.
 */
export function linearPattern(regexp: RegExp): TextTest {
  const node = parsePattern(regexp.source)
  const steps: Step[] = []
  const isWritten = node && write(steps, node)
  if (!isWritten) return regexp
  steps.push({ kind: 'end' })
  return { test: (text) => walk(steps, text) }
}

/** Appends the steps of the node; false if there are too many. */
function write(steps: Step[], node: Node): boolean {
  if (steps.length >= stepsMax) return false
  switch (node.kind) {
    case 'one':
      steps.push({ kind: 'one', is: testerOf(node.source) })
      return true
    case 'at':
      steps.push(node)
      return true
    case 'row':
      return node.parts.every((part) => write(steps, part))
    case 'choice':
      return writeChoice(steps, node.ways)
    case 'repeat':
      return writeRepeat(steps, node)
  }
}

function fork(steps: Step[], ...to: number[]): number[] {
  steps.push({ kind: 'fork', to })
  return to
}

function writeChoice(steps: Step[], ways: Node[]): boolean {
  if (ways.length === 1) return ways.every((way) => write(steps, way))
  const starts = fork(steps)
  const ends = ways.map((way) => {
    starts.push(steps.length)
    return write(steps, way) ? fork(steps) : undefined
  })
  for (const end of ends) end?.push(steps.length)
  return !ends.includes(undefined)
}

function writeRepeat(steps: Step[], { part, min, max }: Node & { kind: 'repeat' }): boolean {
  for (let count = 0; count < min; count += 1) {
    const before = steps.length
    if (!write(steps, part)) return false
    // An empty part matches nothing, however often it is repeated.
    if (steps.length === before) return true
  }
  const from = steps.length
  if (max === Infinity) {
    const exits = fork(steps, from + 1)
    if (!write(steps, part)) return false
    fork(steps, from)
    exits.push(steps.length)
    return true
  }
  const exits: number[][] = []
  for (let count = min; count < max; count += 1) {
    exits.push(fork(steps, steps.length + 1))
    if (!write(steps, part)) return false
  }
  for (const exit of exits) exit.push(steps.length)
  return true
}

const asciiMax = 128

/** Tests each ASCII character once with the engine and keeps the result. */
function testerOf(source: string): (point: string) => boolean {
  const regexp = new RegExp(`^${source}$`, 'u')
  const known: (boolean | undefined)[] = Array(asciiMax)
  return (point) => {
    const code = point.charCodeAt(0)
    if (code >= asciiMax) return regexp.test(point)
    known[code] ??= regexp.test(point)
    return known[code] === true
  }
}

function walk(steps: readonly Step[], text: string): boolean {
  const points = [...text]
  const seenAt = new Int32Array(steps.length).fill(-1)
  let here: number[] = []
  for (let at = 0; at <= points.length; at += 1) {
    // A match may start anywhere.
    const { ones, isEnd } = reach(steps, [...here, 0], { points, at, seenAt })
    if (isEnd) return true
    const point = points[at]
    if (point === undefined) return false
    here = ones.filter((index) => isOne(steps[index], point)).map((index) => index + 1)
  }
  return false
}

const isOne = (step: Step | undefined, point: string) => step?.kind === 'one' && step.is(point)

interface Position {
  points: readonly string[]
  at: number
  /** Position at which each step was last visited. */
  seenAt: Int32Array
}

/** All steps that need a code point next, and whether the end is reached. */
function reach(steps: readonly Step[], from: number[], { points, at, seenAt }: Position) {
  const ones: number[] = []
  const pending = from
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    const step = steps[index]
    if (!step || seenAt[index] === at) continue
    seenAt[index] = at
    if (step.kind === 'end') return { ones, isEnd: true }
    if (step.kind === 'one') ones.push(index)
    else if (step.kind === 'fork') pending.push(...step.to)
    else if (isThere(step.place, points, at)) pending.push(index + 1)
  }
  return { ones, isEnd: false }
}

const isWord = (point: string | undefined) => point !== undefined && /^\w$/.test(point)

function isThere(place: Anchor, points: readonly string[], at: number): boolean {
  if (place === 'start') return at === 0
  if (place === 'end') return at === points.length
  const differ = isWord(points[at - 1]) !== isWord(points[at])
  return differ === (place === 'boundary')
}
