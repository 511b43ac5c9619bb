import { sign, verify } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { TokenKeys } from './token-keys.ts'

/*
 * Short-lived signed tokens beside login tokens, under the same rotating Ed25519 keys. A token has five segments:
 *
 *   sbx1 . PURPOSE . KEY_ID . PAYLOAD . SIGNATURE
 *
 * The signature is over the pre-authentication encoding of DSSE, whose type names the purpose and whose body is the
 * payload: JSON with audience, key id, expiry and claims. Only the one canonical text of a token is accepted, so that no
 * changed bit goes unnoticed, not even one that base64 ignores.
 */

export const tokenPurposes = [
  'turn-context',
  'proposal-receipt',
  'confirm-form',
  'oauth-code',
  'oauth-access',
  'password-address',
  'provider-sign-in',
] as const
export type TokenPurpose = (typeof tokenPurposes)[number]

export interface SignedTokenOptions {
  keys: TokenKeys
  clock: Clock
  /** The deployment: a token of another one is good for nothing here. */
  audience: string
}

/** The claims of a token, or the reason why it counts for nothing. */
export type ReadToken<Claims> = { claims: Claims; expiresAt: Date } | { refused: 'forged' | 'expired' }

interface Payload {
  aud: string
  kid: string
  /** Seconds since 1970. */
  exp: number
  claims: unknown
}

const version = 'sbx1'
const forged = { refused: 'forged' } as const

export class SignedTokens {
  readonly #options: SignedTokenOptions

  constructor(options: SignedTokenOptions) {
    this.#options = options
  }

  sign(purpose: TokenPurpose, claims: object, expiresAt: Date): string {
    const { keys, audience } = this.#options
    const { id, key } = keys.signing()
    const payload: Payload = { aud: audience, kid: id, exp: Math.floor(expiresAt.getTime() / 1000), claims }
    const body = Buffer.from(JSON.stringify(payload))
    const signature = sign(null, preAuthentication(purpose, body), key)
    return [version, purpose, id, body.toString('base64url'), signature.toString('base64url')].join('.')
  }

  /** `forged` for whatever this deployment did not sign for that purpose. */
  read<Claims>(purpose: TokenPurpose, token: string): ReadToken<Claims> {
    const { keys, clock, audience } = this.#options
    const segments = token.split('.')
    const [form, forPurpose, keyId = '', bodyText = '', signatureText = ''] = segments
    if (segments.length !== 5 || form !== version || forPurpose !== purpose) return forged
    const body = decode(bodyText)
    const signature = decode(signatureText)
    const now = clock.now()
    const key = keys.verifying(keyId, now)
    if (!key || !body || !signature) return forged
    if (!verify(null, preAuthentication(purpose, body), key, signature)) return forged
    const { aud, kid, exp, claims } = JSON.parse(body.toString()) as Payload
    if (aud !== audience || kid !== keyId) return forged
    const expiresAt = new Date(exp * 1000)
    return expiresAt > now ? { claims: claims as Claims, expiresAt } : { refused: 'expired' }
  }
}

/** Undefined for text that is not the one encoding of its bytes. */
function decode(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : undefined
}

function preAuthentication(purpose: TokenPurpose, body: Buffer): Buffer {
  const type = `application/vnd.sandbox-jobs.${purpose}+json`
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${body.length} `), body])
}
