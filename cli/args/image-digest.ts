import { InvalidArgumentError } from 'commander'

/** Reads the digest of an image. */
export function imageDigest(text: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(text)) return text
  throw new InvalidArgumentError('It must be sha256: and 64 hex digits.')
}
