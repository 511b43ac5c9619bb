import { JsonRefused, parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { ValidationError } from '../../../base/errors/validation-error.ts'
import { stageInput } from '../../../base/json/staged-input.ts'
import type { BodyQuestion, BodyVerdict } from './verdict.ts'

/** Bounds what the asking thread gets as a value: no accepted body has more values beside its input. */
const otherNodesMax = 10_000
/** Shorter inputs are returned as values. */
const stagedMinBytes = 1024

/**
 * Parses the JSON body of a request, and stages the `input` of a body that has one: checked, canonical and with its digest,
 * so that the asking thread gets bytes and no value of the size of the body.
 */
export function parseBody({ body, bounds, inputWithin }: BodyQuestion): BodyVerdict {
  try {
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    const value = parseStrictJson(bytes, bounds)
    const holder = inputHolder(value, inputWithin)
    const input = holder && stagedInput(holder)
    const isLarge = input !== undefined && ('problems' in input || input.content.length > stagedMinBytes)
    if (isLarge && holder) holder.input = null
    if (!hasAtMost(otherNodesMax, value)) throw new JsonRefused('too_many_nodes', body.length)
    return { kind: 'body', value, ...(isLarge && { input }) }
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error
    const { slug, at, path } = error
    return { kind: 'body_refused', slug, at, path }
  }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

function stagedInput({ input }: { input: unknown }): Extract<BodyVerdict, { kind: 'body' }>['input'] {
  try {
    return stageInput(input)
  } catch (error) {
    if (error instanceof ValidationError) return { problems: error.problems }
    throw error
  }
}

function hasAtMost(nodesMax: number, value: unknown): boolean {
  let nodes = 1
  const open = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isContainer(next)) continue
    const children = Object.values(next)
    nodes += children.length
    if (nodes > nodesMax) return false
    open.push(...children)
  }
  return true
}

/** The object that has the `input` of a body, below the keys `within`; undefined if the body has none there. */
export function inputHolder(body: unknown, within: readonly string[] = []): { input: unknown } | undefined {
  let holder = body
  for (const key of within)
    holder = isJsonObject(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined
  return isJsonObject(holder) && Object.hasOwn(holder, 'input') ? (holder as { input: unknown }) : undefined
}
