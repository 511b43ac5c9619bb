import { createHmac, timingSafeEqual } from 'node:crypto'
import { newToken } from '../../base/ids.ts'

export interface UploadCapability {
  /** Shown once, in the response to init. */
  token: string
  /** The stored form. It is useless without the key, and valid only for its session. */
  hash: Buffer
}

const hashOf = (key: Buffer, sessionId: string, token: string): Buffer =>
  createHmac('sha256', key).update(`upload:${sessionId}:${token}`).digest()

export function mintUploadCapability(key: Buffer, sessionId: string): UploadCapability {
  const token = newToken()
  return { token, hash: hashOf(key, sessionId, token) }
}

/** Whether `token` was created for this session. Does not check its age. */
export const isCapabilityOfSession = (
  key: Buffer,
  session: { id: string; capability_hash: Buffer },
  token: string,
): boolean => {
  const expected = hashOf(key, session.id, token)
  return (
    expected.length === session.capability_hash.length && timingSafeEqual(expected, session.capability_hash)
  )
}
