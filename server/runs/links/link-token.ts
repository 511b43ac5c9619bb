import { sign, verify } from 'node:crypto'
import { idKinds } from '@sandbox-jobs/contract/ids.ts'
import type { LinkServices } from '../downloads/public-links.ts'
import type { SignedLinkRow } from './signed-link-store.ts'

/*
 * The token of an expiring link, 96 bytes as 128 characters of base64url:
 *
 *   format (1) purpose (1) key id (8) link id (16) expiry in seconds since 1970 (6)   Ed25519 signature (64)
 *
 * The signature is over the DSSE pre-authentication encoding of a type, which names the purpose, and of the audience with
 * the first 32 bytes. So a token is good for one purpose at one deployment under one key until one time. The audience is
 * the name of the deployment, which another base URL leaves as it is.
 */

const format = 2
const bodyBytes = 32
const signatureBytes = 64
const purposes = ['share', 'media', 'download'] as const satisfies readonly SignedLinkRow['purpose'][]

type TokenSubject = Pick<SignedLinkRow, 'id' | 'purpose' | 'expires_at'>

export function signLinkToken(
  { linkKeys, deployment }: Pick<LinkServices, 'linkKeys' | 'deployment'>,
  link: TokenSubject,
): string {
  const { id: keyId, key } = linkKeys.signing()
  const body = Buffer.alloc(bodyBytes)
  body.writeUInt8(format, 0)
  body.writeUInt8(purposes.indexOf(link.purpose), 1)
  Buffer.from(keyId, 'hex').copy(body, 2)
  Buffer.from(link.id.slice(idKinds.signedLink.length + 1), 'hex').copy(body, 10)
  body.writeUIntBE(Math.floor(link.expires_at.getTime() / 1000), 26, 6)
  const signature = sign(null, signedBytes(deployment, link.purpose, body), key)
  return Buffer.concat([body, signature]).toString('base64url')
}

/** The id and purpose of the link; undefined for everything but a token of this deployment whose time is not over. */
export function readLinkToken(
  deps: Pick<LinkServices, 'linkKeys' | 'clock' | 'deployment'>,
  token: string,
): Pick<SignedLinkRow, 'id' | 'purpose'> | undefined {
  const bytes = Buffer.from(token, 'base64url')
  // Another spelling of the same bytes is another token.
  if (bytes.length !== bodyBytes + signatureBytes || bytes.toString('base64url') !== token) return undefined
  const body = bytes.subarray(0, bodyBytes)
  const purpose = purposes[body.readUInt8(1)]
  if (body.readUInt8(0) !== format || purpose === undefined) return undefined
  const now = deps.clock.now()
  const key = deps.linkKeys.verifying(body.toString('hex', 2, 10), now)
  if (!key || !verify(null, signedBytes(deps.deployment, purpose, body), key, bytes.subarray(bodyBytes)))
    return undefined
  if (body.readUIntBE(26, 6) * 1000 <= now.getTime()) return undefined
  return { id: `${idKinds.signedLink}_${body.toString('hex', 10, 26)}`, purpose }
}

function signedBytes(audience: string, purpose: string, body: Buffer): Buffer {
  const type = `application/vnd.sandbox-jobs.link+${purpose}`
  const payload = Buffer.concat([Buffer.from(`${audience}\0`), body])
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload])
}
