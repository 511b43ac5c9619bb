import { type Static, Type } from 'typebox'

/** Padding and hash with which clients encrypt for the service. The key has 3072 bits. */
export const transitAlgorithm = 'RSA-OAEP-SHA256'

export const PublicKey = Type.Object({
  /** SubjectPublicKeyInfo as PEM. */
  public_key_pem: Type.String(),
  algorithm: Type.Literal(transitAlgorithm),
})
export type PublicKey = Static<typeof PublicKey>
