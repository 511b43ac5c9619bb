import type { FastifyRequest } from 'fastify'

/** The parameter of an address that has the key in its path, for platforms that can send no header. */
export const keyParameter = 'doorKey'

/**
 * The key of a request to a door: from its path, from `X-Api-Key`, or from `Authorization` as a bearer token, as the password of
 * a basic login, or bare, as the platforms send it. Empty: there is none.
 */
export function doorKeyOf({ params, headers }: Pick<FastifyRequest, 'params' | 'headers'>): string {
  const inPath = (params as Record<string, string | undefined> | undefined)?.[keyParameter]
  if (inPath !== undefined) return inPath
  const header = headers['x-api-key']
  if (typeof header === 'string') return header.trim()
  const [scheme = '', value] = (headers.authorization ?? '').trim().split(/ +/, 2)
  if (value === undefined) return scheme
  if (/^bearer$/i.test(scheme)) return value
  if (/^basic$/i.test(scheme)) return passwordOf(value)
  return ''
}

function passwordOf(basic: string): string {
  const text = Buffer.from(basic, 'base64').toString('utf8')
  return text.slice(text.indexOf(':') + 1)
}
