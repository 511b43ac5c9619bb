import { createHmac, type KeyObject } from 'node:crypto'
import { newToken } from '../../base/ids.ts'
import { isMac, type MacKeys } from '../../base/keys/rotated-key.ts'

export interface UploadCapability {
  /** Shown once, in the response to init. */
  token: string
  /** The stored form. It is useless without the key, and valid only for its session. */
  hash: Buffer
}

const hashOf = (key: KeyObject, sessionId: string, token: string): Buffer =>
  createHmac('sha256', key).update(`upload:${sessionId}:${token}`).digest()

export function mintUploadCapability(keys: MacKeys, sessionId: string): UploadCapability {
  const token = newToken()
  return { token, hash: hashOf(keys.live()[0], sessionId, token) }
}

/** Whether `token` was created for this session. Does not check its age. */
export const isCapabilityOfSession = (
  keys: MacKeys,
  session: { id: string; capability_hash: Buffer },
  token: string,
): boolean => isMac(keys, session.capability_hash, (key) => hashOf(key, session.id, token))
