import { createHmac, type KeyObject } from 'node:crypto'
import { isMac, type MacKeys } from '../../base/keys/rotated-key.ts'

/*
 * Texts that only this deployment can make and that outlive a rotation of the signing keys: PURPOSE . CLAIMS . MAC, with
 * HMAC-SHA-256 over purpose and claims. They hold no secret; what expires or is revoked is checked by their reader.
 */

type Purpose = 'mcpclient' | 'mcprefresh'

export function writeMacToken(keys: MacKeys, purpose: Purpose, claims: object): string {
  const body = `${purpose}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${body}.${macOf(keys.live()[0], body).toString('base64url')}`
}

/** The claims; undefined for whatever this deployment did not write for that purpose. */
export function readMacToken<Claims>(keys: MacKeys, purpose: Purpose, token: string): Claims | undefined {
  const [form, claims = '', mac = '', ...rest] = token.split('.')
  if (form !== purpose || rest.length > 0) return undefined
  const given = Buffer.from(mac, 'base64url')
  const isOurs = isMac(keys, given, (key) => macOf(key, `${form}.${claims}`))
  // The one text of the MAC: base64 would ignore some of the last bits.
  if (!isOurs || given.toString('base64url') !== mac) return undefined
  return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Claims
}

const macOf = (key: KeyObject, body: string): Buffer => createHmac('sha256', key).update(body).digest()
