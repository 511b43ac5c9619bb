import { createHmac } from 'node:crypto'

/*
 * Signatures as Standard Webhooks 1 defines them: HMAC-SHA-256 over id, timestamp and body. After a rotation there is one for
 * each valid secret, and a receiver accepts any of them.
 */

const prefix = 'whsec_'

/** The form of a secret that receivers configure. */
export const shownSecret = (secret: Buffer): string => `${prefix}${secret.toString('base64')}`

export interface SignedMessage {
  id: string
  /** Seconds since 1970. */
  timestamp: number
  body: string
}

export function signedHeaders(message: SignedMessage, secrets: readonly Buffer[]): Record<string, string> {
  const { id, timestamp, body } = message
  const signatureBy = (secret: Buffer) =>
    `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(signatureBy).join(' '),
  }
}
