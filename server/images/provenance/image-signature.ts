import { parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'

/*
 * The signature of an image: cosign's "simple signing" payload, a plain JSON file with the digest
 * of the manifest. The signature is over exactly these bytes, so openssl and sha256sum are enough to verify it.
 */

const SimpleSigning = Type.Object({
  critical: Type.Object(
    {
      identity: Type.Object({ 'docker-reference': Type.String() }),
      image: Type.Object({ 'docker-manifest-digest': Type.String() }),
      type: Type.Literal('cosign container image signature'),
    },
    { additionalProperties: false },
  ),
  optional: Type.Object({ environment_version_id: Type.String() }),
})

export const signedPayload = (image: { manifestDigest: string; versionId: string }): Buffer =>
  Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': image.versionId },
        image: { 'docker-manifest-digest': image.manifestDigest },
        type: 'cosign container image signature',
      },
      optional: { environment_version_id: image.versionId },
    }),
  )

const bounds = { maxBytes: 64 * 1024, maxDepth: 8, maxNodes: 1000 }

/** The image that a payload names; undefined if the bytes are not such a payload. */
export function readSignedPayload(bytes: Buffer): { manifestDigest: string; versionId: string } | undefined {
  try {
    const value = parseStrictJson(bytes, bounds)
    if (!Check(SimpleSigning, value)) return undefined
    const { critical, optional } = value
    return {
      manifestDigest: critical.image['docker-manifest-digest'],
      versionId: optional.environment_version_id,
    }
  } catch {
    return undefined
  }
}
