import { type Static, Type } from 'typebox'

export const digestPattern = '^sha256:[0-9a-f]{64}$'

/** `sha256:` and 64 lowercase hex digits. */
export const Digest = Type.String({ pattern: digestPattern })
export type Digest = Static<typeof Digest>

const digestRegExp = new RegExp(digestPattern)

export const isDigest = (text: string): boolean => digestRegExp.test(text)
