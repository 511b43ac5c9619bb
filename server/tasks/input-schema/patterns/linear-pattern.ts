import { type Node, type Place, parsePattern } from './parse-pattern.ts'

/*
 * Regular expressions of tenants in linear time. A text is read once, from left to right, with the set of all the steps
 * that the pattern could be at; where an engine that goes back would try one way after the other, this goes all of them
 * at once. What one code point is, is asked of the engine itself, so that classes and properties mean what they mean.
 */

/** Bound of a pattern's steps, repetitions written out: a text costs at most this for each of its characters. */
const stepsMax = 5000

type Step =
  | { kind: 'one'; is: (point: string) => boolean }
  | { kind: 'at'; place: Place }
  /** Goes on at each of them. */
  | { kind: 'fork'; to: number[] }
  | { kind: 'end' }

export interface TextTest {
  test(text: string): boolean
}

/**
 * The test of `regexp`, which has the flag `u` and no other, in time linear in the text. The expression itself where it
 * looks around or back to a group, or is too long written out.
 */
export function linearPattern(regexp: RegExp): TextTest {
  const node = parsePattern(regexp.source)
  const steps: Step[] = []
  const isWritten = node && write(steps, node)
  if (!isWritten) return regexp
  steps.push({ kind: 'end' })
  return { test: (text) => walk(steps, text) }
}

/** Appends the steps of the node; false when they are too many. */
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
    // Nothing, however often.
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

/** Asks the engine once for each character of ASCII. */
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
    // A match may begin anywhere.
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
  /** Where each step was seen last. */
  seenAt: Int32Array
}

/** All steps that want a code point next, and whether the end is among what is reached. */
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

function isThere(place: Place, points: readonly string[], at: number): boolean {
  if (place === 'start') return at === 0
  if (place === 'end') return at === points.length
  const differ = isWord(points[at - 1]) !== isWord(points[at])
  return differ === (place === 'boundary')
}
