import { digestPattern } from '@sandbox-jobs/contract/digest.ts'
import { parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { canonicalDigest } from '../../base/json/canonical-json.ts'
import { openEnvelope, sealEnvelope } from '../../images/provenance/dsse.ts'
import type { BuildTools } from '../request/build.ts'
import { type CachedStageName, type CachedStageRow, cachedStageKey } from './cached-stage-store.ts'

/*
 * The signed record of a base layer: the whole tree of a base image as one layer of a company, on which the company's builds
 * store only what they add. It is kept with the cached stages, under a key of its own kind. The row only locates it.
 */

const payloadType = 'application/vnd.sandbox-jobs.base-layer+json'
const Digest = Type.String({ pattern: digestPattern })
const Size = Type.Integer({ minimum: 0 })

const BaseLayer = Type.Object(
  {
    companyId: Type.String(),
    key: Digest,
    /** The attempt that made it. */
    attemptId: Type.String(),
    /** Digest of the uncompressed tar; `digest` and `byteSize` are of the stored, compressed one. */
    diffId: Digest,
    digest: Digest,
    byteSize: Type.Integer({ minimum: 1 }),
    unpackedBytes: Size,
    entries: Size,
    /** Digest of the stored inventory. */
    inventoryDigest: Digest,
  },
  { additionalProperties: false },
)
export type BaseLayer = Static<typeof BaseLayer>

interface BaseLayerInputs {
  /** Digest of the base image's manifest. */
  baseDigest: string
  toolchainDigest: string
  programDigest: string
}

export const baseLayerKey = (inputs: BaseLayerInputs): string =>
  canonicalDigest({
    kind: 'base_layer',
    base: inputs.baseDigest,
    toolchain: inputs.toolchainDigest,
    program: inputs.programDigest,
  })

/** Storage key of its inventory. */
export const baseInventoryKey = (name: CachedStageName): string => `${cachedStageKey(name)}.inventory`

export const signedBaseLayer = (record: BaseLayer, signing: Pick<BuildTools['signing'], 'sign'>) =>
  sealEnvelope(payloadType, Buffer.from(JSON.stringify(record)), (bytes) => signing.sign(bytes))

const bounds = { maxBytes: 4096, maxDepth: 2, maxNodes: 20 }

/** Undefined unless a trusted key signed that this attempt made it for this key of this company. */
export function verifiedBaseLayer(
  { companyId, key, attemptId, envelope }: Omit<CachedStageRow, 'networkSince'>,
  signing: Pick<BuildTools['signing'], 'trusted'>,
): BaseLayer | undefined {
  const opened = openEnvelope(envelope, payloadType, signing.trusted())
  if (!opened) return undefined
  const record = parseStrictJson(opened.payload, bounds)
  if (!Check(BaseLayer, record)) return undefined
  const isOfRow = record.companyId === companyId && record.key === key && record.attemptId === attemptId
  return isOfRow ? record : undefined
}
