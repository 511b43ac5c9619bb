import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
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
  payloadType: about('Media type of the payload.', Type.String(), 'application/vnd.in-toto+json'),
  payload: about(
    'Base64 of the in-toto statement with the SLSA provenance of the image.',
    Type.String(),
    'eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQvdjEifQ==',
  ),
  signatures: about(
    'Signatures of the payload.',
    Type.Array(
      Type.Object({
        keyid: about('Name of the signing key.', Type.String(), '3f1d7a2c9b8e4f60'),
        sig: about('Base64 of the signature.', Type.String(), 'MEUCIQDx0c3VtcGxl'),
      }),
    ),
  ),
})
export type Envelope = Static<typeof Envelope>

export const ImageSignature = Type.Object({
  subject_digest: about("Digest of the image's manifest.", Digest),
  key_id: about('Name of the signing key.', Type.String(), '3f1d7a2c9b8e4f60'),
  media_type: about('Media type of the payload.', Type.Literal(attachmentTypes.signature)),
  payload: about('Base64 of the signed bytes.', Type.String(), 'eyJjcml0aWNhbCI6e319'),
  signature: about(
    'Base64 of an ECDSA P-256 signature in DER over the sha256 of the signed bytes.',
    Type.String(),
    'MEUCIQDx0c3VtcGxl',
  ),
})
export type ImageSignature = Static<typeof ImageSignature>

export const ImageSignatureList = Type.Object({
  items: about('Signatures of the image.', Type.Array(ImageSignature)),
})
export type ImageSignatureList = Static<typeof ImageSignatureList>

export const SigningKey = Type.Object({
  key_id: about(
    "The sha256 of the key's SubjectPublicKeyInfo in DER, in hex.",
    Type.String(),
    '3f1d7a2c9b8e4f60',
  ),
  algorithm: about('Curve and hash of its signatures.', Type.Literal('ECDSA-P256-SHA256')),
  public_key_pem: about(
    'SubjectPublicKeyInfo as PEM.',
    Type.String(),
    '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD...\n-----END PUBLIC KEY-----\n',
  ),
  signs: about('True for the key that signs new images; the others only verify.', Type.Boolean(), true),
  made_at: about('When it was made.', DateTime),
})
export type SigningKey = Static<typeof SigningKey>

export const SigningKeyList = Type.Object({
  items: about('All keys that verify images.', Type.Array(SigningKey)),
})
export type SigningKeyList = Static<typeof SigningKeyList>
