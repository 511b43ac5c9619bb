import { type Static, Type } from 'typebox'
import { withExample } from './about.ts'

export const digestPattern = '^sha256:[0-9a-f]{64}$'

export const exampleDigest = `sha256:${'9f86d081884c7d65'.repeat(4)}`
/** `sha256:` and 64 lowercase hex digits. */
export const Digest = withExample(Type.String({ pattern: digestPattern }), exampleDigest)
export type Digest = Static<typeof Digest>

const digestRegExp = new RegExp(digestPattern)

export const isDigest = (text: string): boolean => digestRegExp.test(text)
