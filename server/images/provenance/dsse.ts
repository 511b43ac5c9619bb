import type { Envelope } from '@sandbox-jobs/contract/resources/builds/provenance.ts'
import type { TrustedKeys } from '../../base/keys/published-signing-keys.ts'
import { type Signature, verifySignature } from '../../base/keys/signing-keys.ts'

/*
 * Dead Simple Signing Envelope, version 1 (secure-systems-lab/dsse): the signature covers the payload and its
 * type, so a payload cannot be presented as another kind of document.
 */

export function sealEnvelope(
  payloadType: string,
  payload: Buffer,
  sign: (bytes: Buffer) => Signature,
): Envelope {
  const { keyId, bytes } = sign(preAuthEncoding(payloadType, payload))
  return {
    payloadType,
    payload: payload.toString('base64'),
    signatures: [{ keyid: keyId, sig: bytes.toString('base64') }],
  }
}

/** The payload and the id of the key that signed it; undefined unless a trusted key signed it as this type. */
export function openEnvelope(
  envelope: Envelope,
  payloadType: string,
  trusted: TrustedKeys,
): { payload: Buffer; keyId: string } | undefined {
  if (envelope.payloadType !== payloadType) return undefined
  const payload = Buffer.from(envelope.payload, 'base64')
  const signed = preAuthEncoding(payloadType, payload)
  const trustedSignature = envelope.signatures.find(({ keyid, sig }) =>
    verifySignature(trusted, signed, { keyId: keyid, bytes: Buffer.from(sig, 'base64') }),
  )
  return trustedSignature && { payload, keyId: trustedSignature.keyid }
}

const preAuthEncoding = (payloadType: string, payload: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `),
    payload,
  ])
