import { isUtf8 } from 'node:buffer'
import {
  JsonRefused,
  jsonRefusals,
  parseStrictJson,
  runInputBounds,
} from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { inlineOutputMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { InlineOutput } from '@sandbox-jobs/contract/resources/runs/run-result.ts'
import { CodedError } from '../../../base/errors/coded-error.ts'
import { sha256Of } from '../../../base/sha256.ts'
import type { Executing } from '../../../db/database.ts'
import type { ObjectStorage } from '../../../storage/port.ts'
import { findContent } from '../../results/run-content-store.ts'

/**
 * The output of a run as part of an answer; null where it has none. A value is JSON within the bounds of an input, so
 * that any parser reads it: what is deeper or has duplicate keys is text. Throws `storage_unavailable`.
 */
export async function readInlineOutput(
  { db, storage }: { db: Executing; storage: ObjectStorage },
  run: { id: string; company_id: string },
): Promise<InlineOutput | null> {
  const content = await findContent(db, run)
  if (content?.state !== 'active' || content.output_key === null || content.output_bytes === null) return null
  const byte_size = content.output_bytes
  const shown = { byte_size, json: null, text: null, problem: null }
  if (byte_size > inlineOutputMaxBytes) return { ...shown, format: 'too_large' }
  const bytes = await storage.read(content.output_key, byte_size)
  if (bytes === undefined) return null
  if (sha256Of(bytes) !== content.output_digest) throw new CodedError('storage_unavailable')
  if (!isUtf8(bytes)) return { ...shown, format: 'binary' }
  const value = jsonValue(bytes)
  if (!(value instanceof JsonRefused)) return { ...shown, format: 'json', json: value }
  const text = bytes.toString('utf8')
  return { ...shown, format: 'text', text, problem: problemOf(value, text) }
}

const maxPlaceLength = 400

/** The reason why an output is not the JSON that it was meant to be; null for one that was not. */
function problemOf({ slug, at, path }: JsonRefused, text: string): string | null {
  if (slug !== 'not_a_number' && !/^\s*[[{]/.test(text)) return null
  const pointer = path
    .map((part) => `/${part}`)
    .join('')
    .slice(0, maxPlaceLength)
  return `at ${pointer || 'the top'} (byte ${at}): ${jsonRefusals[slug]}`
}

function jsonValue(bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes, { ...runInputBounds, acceptProto: true })
  } catch (error) {
    if (error instanceof JsonRefused) return error
    throw error
  }
}
