import { type Static, Type } from 'typebox'
import { Digest } from '../../digest.ts'
import { DateTime } from '../../schema.ts'

/** Media types of an image's attachments. */
export const attachmentTypes = {
  /** The "simple signing" payload of cosign, which contains the image's digest. */
  signature: 'application/vnd.dev.cosign.simplesigning.v1+json',
  /** A DSSE envelope around an in-toto statement. */
  provenance: 'application/vnd.dsse.envelope.v1+json',
} as const

export const statementType = 'application/vnd.in-toto+json'

/** A Dead Simple Signing Envelope; the field names are those of its standard. */
export const Envelope = Type.Object({
  payloadType: Type.String(),
  /** Base64 of the in-toto statement with the SLSA provenance of the image. */
  payload: Type.String(),
  signatures: Type.Array(Type.Object({ keyid: Type.String(), sig: Type.String() })),
})
export type Envelope = Static<typeof Envelope>

export const ImageSignature = Type.Object({
  /** Digest of the image's manifest. */
  subject_digest: Digest,
  key_id: Type.String(),
  media_type: Type.Literal(attachmentTypes.signature),
  /**
   * `payload` is base64 of the signed bytes, `signature` base64 of an ECDSA P-256 signature in DER over their sha256.
   */
  payload: Type.String(),
  signature: Type.String(),
})
export type ImageSignature = Static<typeof ImageSignature>

export const ImageSignatureList = Type.Object({ items: Type.Array(ImageSignature) })
export type ImageSignatureList = Static<typeof ImageSignatureList>

export const SigningKey = Type.Object({
  /** The sha256 of the key's SubjectPublicKeyInfo in DER, in hex. */
  key_id: Type.String(),
  algorithm: Type.Literal('ECDSA-P256-SHA256'),
  public_key_pem: Type.String(),
  /** True for the key that signs new images; other keys only verify. */
  signs: Type.Boolean(),
  made_at: DateTime,
})
export type SigningKey = Static<typeof SigningKey>

export const SigningKeyList = Type.Object({ items: Type.Array(SigningKey) })
export type SigningKeyList = Static<typeof SigningKeyList>
