import { createHash } from 'node:crypto'

/** `sha256:` and hex digits; text is hashed as UTF-8. */
export const sha256Of = (bytes: Buffer | string): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`
