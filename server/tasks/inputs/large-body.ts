import { type JsonBounds, JsonRefused } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { PreparedInput } from '../../base/json/staged-input.ts'
import { inputHolder } from './schema/parse-body.ts'
import { schemaThreads } from './schema/schema-threads.ts'

/** Smaller bodies cost the event loop less than a few milliseconds. */
export const largeBodyMinBytes = 32 * 1024

/**
 * Parses a large JSON body in another thread: the parse of one input of 20,000 objects would hold up the requests of all
 * companies for 50 ms and more. A large `input` of the body, below the keys `inputWithin`, becomes a `PreparedInput`. Throws `JsonRefused`, and
 * `input_staging_unavailable` while too many bodies of the company wait.
 */
export async function parseLargeBody(
  company: string,
  bytes: Buffer,
  { bounds, inputWithin }: { bounds: JsonBounds; inputWithin?: readonly string[] | undefined },
): Promise<unknown> {
  // Node's pool is never sent along.
  const body = bytes.buffer.byteLength === bytes.length ? bytes : new Uint8Array(bytes)
  const verdict = await schemaThreads.ask(company, { body, bounds, inputWithin })
  if (verdict.kind === 'body_refused') throw new JsonRefused(verdict.slug, verdict.at, verdict.path)
  if (verdict.kind !== 'body') throw new CodedError('input_staging_unavailable')
  const { value, input } = verdict
  const holder = input && inputHolder(value, inputWithin)
  if (holder) holder.input = new PreparedInput(received(input))
  return value
}

/** Bytes lose the class of Node on their way. */
const received = (input: PreparedInput['outcome']): PreparedInput['outcome'] =>
  'problems' in input ? input : { ...input, content: asBuffer(input.content) }

const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length)
