import { hash } from 'node:crypto'
import { canonicalJson } from '../base/canonical-json.ts'
import { runInputBounds } from '../base/strict-json.ts'
import { invalid, type ValidationError } from '../base/validation-error.ts'

/** A run's input as it is stored and as it lands in the inputs file. */
export interface StagedInput {
  /** Canonical JSON (RFC 8785), UTF-8. */
  content: Buffer
  /** `sha256:` and 64 hex digits over `content`. */
  digest: string
}

/**
 * Makes an input's one stored form, within the bounds of the contract (part 1, "Limits"). `value` comes from the
 * strict parser, so it has no duplicate keys and no NUL. Throws the standard 422 array.
 */
export function stageInput(value: unknown): StagedInput {
  checkShape(value)
  const content = Buffer.from(canonicalJson(value), 'utf8')
  if (content.length > runInputBounds.maxBytes) {
    throw refused('too_large', `must have at most ${runInputBounds.maxBytes} bytes of canonical JSON`)
  }
  return { content, digest: `sha256:${hash('sha256', content)}` }
}

/** Depth and number of values, counted without recursion. */
function checkShape(value: unknown): void {
  const pending: { value: unknown; depth: number }[] = [{ value, depth: 0 }]
  let nodes = 0
  for (let next = pending.pop(); next; next = pending.pop()) {
    nodes += 1
    if (nodes > runInputBounds.maxNodes) {
      throw refused('too_many_nodes', `must have at most ${runInputBounds.maxNodes} values`)
    }
    if (typeof next.value !== 'object' || next.value === null) continue
    const depth = next.depth + 1
    if (depth > runInputBounds.maxDepth) {
      throw refused('too_deep', `must have at most ${runInputBounds.maxDepth} levels`)
    }
    for (const child of Object.values(next.value)) pending.push({ value: child, depth })
  }
}

const refused = (type: string, msg: string): ValidationError => invalid(['body', 'input'], type, msg)
