import { digestPattern } from '@sandbox-jobs/contract/digest.ts'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { parseStrictJson } from '../../base/strict-json.ts'
import { openEnvelope, sealEnvelope } from '../provenance/dsse.ts'
import type { BuildTools } from '../steps/step.ts'
import type { PrefixRow } from './prefix-store.ts'

/*
 * What the first instructions of a stage made, as the platform signs it: which bytes belong to which key of which
 * company. A row of the database leads to it and proves nothing.
 */

const payloadType = 'application/vnd.sandbox-jobs.build-prefix+json'
const Digest = Type.String({ pattern: digestPattern })

const KeptPrefix = Type.Object(
  {
    companyId: Type.String(),
    key: Digest,
    /** Made it. */
    attemptId: Type.String(),
    /** Of its manifest, by which its layers and its configuration are fixed. */
    manifestDigest: Digest,
    /** Of the stored object, and its size unpacked. */
    objectDigest: Digest,
    byteSize: Type.Integer({ minimum: 1 }),
    tarBytes: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false },
)
export type KeptPrefix = Static<typeof KeptPrefix>

/** A prefix that a build takes, and the place behind it. */
export interface TakenPrefix extends KeptPrefix {
  stage: number
  count: number
}

export const signedPrefix = (prefix: KeptPrefix, signing: Pick<BuildTools['signing'], 'sign'>) =>
  sealEnvelope(payloadType, Buffer.from(JSON.stringify(prefix)), (bytes) => signing.sign(bytes))

const bounds = { maxBytes: 4096, maxDepth: 2, maxNodes: 20 }

/** Undefined unless a trusted key says that this attempt made it for this key of this company. */
export function vouchedPrefix(
  { companyId, key, attemptId, envelope }: PrefixRow,
  signing: Pick<BuildTools['signing'], 'trusted'>,
): KeptPrefix | undefined {
  const opened = openEnvelope(envelope, payloadType, signing.trusted())
  if (!opened) return undefined
  const prefix = parseStrictJson(opened.payload, bounds)
  if (!Check(KeptPrefix, prefix)) return undefined
  const isOfRow = prefix.companyId === companyId && prefix.key === key && prefix.attemptId === attemptId
  return isOfRow ? prefix : undefined
}
