import { type Static, Type } from 'typebox'
import { Digest } from '../digest.ts'
import { DateTime } from '../schema.ts'

/** Media types of what is attached to an image. */
export const attachmentTypes = {
  /** cosign's "simple signing" payload: names the image's digest. */
  signature: 'application/vnd.dev.cosign.simplesigning.v1+json',
  /** A DSSE envelope around an in-toto statement. */
  provenance: 'application/vnd.dsse.envelope.v1+json',
} as const

export const statementType = 'application/vnd.in-toto+json'

/** A Dead Simple Signing Envelope; its field names are its own standard's. */
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
  /** Base64 of the bytes that were signed, and of the signature: ECDSA on P-256 over their sha256, DER. */
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
  /** New images are signed with it; the others only verify. */
  signs: Type.Boolean(),
  made_at: DateTime,
})
export type SigningKey = Static<typeof SigningKey>

export const SigningKeyList = Type.Object({ items: Type.Array(SigningKey) })
export type SigningKeyList = Static<typeof SigningKeyList>
