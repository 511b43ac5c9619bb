import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'

/** Padding and hash with which clients encrypt for the service. The key has 3072 bits. */
export const transitAlgorithm = 'RSA-OAEP-SHA256'

export const PublicKey = Type.Object({
  public_key_pem: about(
    'SubjectPublicKeyInfo as PEM, RSA of 3072 bits.',
    Type.String(),
    '-----BEGIN PUBLIC KEY-----\nMIIBojANBgkqhkiG9w0BAQEFAAOCAY8A...\n-----END PUBLIC KEY-----\n',
  ),
  algorithm: about('Padding and hash with which a client wraps its AES key.', Type.Literal(transitAlgorithm)),
})
export type PublicKey = Static<typeof PublicKey>
