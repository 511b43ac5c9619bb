import { hash } from 'node:crypto'
import { runInputBounds } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { invalid, ValidationError, type ValidationProblem } from '../errors/validation-error.ts'
import { canonicalJson } from './canonical-json.ts'

/** A run's input in the form that is stored and written to the inputs file. */
export interface StagedInput {
  /** Canonical JSON (RFC 8785), UTF-8. */
  content: Buffer
  /** `sha256:` and 64 hex digits over `content`. */
  digest: string
}

/**
 * The place of an input in a parsed body, when another thread has parsed the body and staged the input: the value itself
 * is never made in this thread.
 */
export class PreparedInput {
  readonly outcome: StagedInput | { problems: ValidationProblem[] }

  constructor(outcome: PreparedInput['outcome']) {
    this.outcome = outcome
  }

  /** Throws what `stageInput` of the value throws. */
  staged(): StagedInput {
    if ('problems' in this.outcome) throw new ValidationError(this.outcome.problems)
    return this.outcome
  }
}

/**
 * Checks an input against the limits of the contract (part 1, "Limits") and returns its canonical form. `value` comes from
 * the strict parser, so it has no duplicate keys and no NUL, or is a `PreparedInput`. Throws the standard 422 array.
 */
export function stageInput(value: unknown): StagedInput {
  if (value instanceof PreparedInput) return value.staged()
  checkShape(value)
  const content = Buffer.from(canonicalJson(value), 'utf8')
  if (content.length > runInputBounds.maxBytes) {
    throw refused('too_large', `must have at most ${runInputBounds.maxBytes} bytes of canonical JSON`)
  }
  return { content, digest: `sha256:${hash('sha256', content)}` }
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Depth and number of values, counted level by level. */
function checkShape(value: unknown): void {
  let nodes = 1
  let level = isContainer(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > runInputBounds.maxDepth) {
      throw refused('too_deep', `must have at most ${runInputBounds.maxDepth} levels`)
    }
    const next: object[] = []
    for (const container of level) {
      const children: unknown[] = Array.isArray(container) ? container : Object.values(container)
      nodes += children.length
      if (nodes > runInputBounds.maxNodes) {
        throw refused('too_many_nodes', `must have at most ${runInputBounds.maxNodes} values`)
      }
      for (const child of children) if (isContainer(child)) next.push(child)
    }
    level = next
  }
}

const refused = (type: string, msg: string): ValidationError => invalid(['body', 'input'], type, msg)
