import type { IncomingHttpHeaders } from 'node:http'

/* Bytes that the service has ready, and that clients keep. */

const accepted = {
  br: /\bbr\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/,
  gzip: /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/,
}

/** Whether the client takes the bytes compressed like that. */
export const acceptsEncoding = (headers: IncomingHttpHeaders, encoding: keyof typeof accepted): boolean =>
  accepted[encoding].test(String(headers['accept-encoding']))

/** Whether the client has these bytes. A proxy that compresses makes the tag a weak one. */
export const isKnown = (etag: string, known = ''): boolean =>
  known.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
