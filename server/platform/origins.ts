/** The entry that serves every caller; it stands alone. */
export const anyOrigin = '*'

/** Whether `text` is an origin as browsers send it: scheme, host and port that is not the default, nothing more. */
export function isOrigin(text: string): boolean {
  if (!/^https?:\/\//.test(text)) return false
  return URL.parse(text)?.origin === text
}

/** The positions of entries that a key's list of domains cannot have. */
export const badDomains = (domains: readonly string[]): number[] =>
  domains.flatMap((domain, index) =>
    (domain === anyOrigin && domains.length === 1) || isOrigin(domain) ? [] : [index],
  )

/** Whether a key with these domains serves a request with this `Origin`; a list of origins needs one. */
export const servesOrigin = (domains: readonly string[], origin: string | undefined): boolean =>
  (domains.length === 1 && domains[0] === anyOrigin) || (origin !== undefined && domains.includes(origin))
