import { createHash } from 'node:crypto'

/** `sha256:` and hex. */
export const sha256Of = (bytes: Buffer): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`
