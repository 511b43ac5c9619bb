/** The entry that allows every caller; it must be the only one. */
export const anyOrigin = '*'

/** Whether `text` is an origin as browsers send it: scheme, host and a port other than the default, nothing more. */
export function isOrigin(text: string): boolean {
  if (!/^https?:\/\//.test(text)) return false
  return URL.parse(text)?.origin === text
}

/** The indexes of invalid entries in a key's list of domains. */
export const badDomains = (domains: readonly string[]): number[] =>
  domains.flatMap((domain, index) =>
    (domain === anyOrigin && domains.length === 1) || isOrigin(domain) ? [] : [index],
  )

/** Whether a key with these domains allows a request with this `Origin`; a list of origins requires one. */
export const servesOrigin = (domains: readonly string[], origin: string | undefined): boolean =>
  (domains.length === 1 && domains[0] === anyOrigin) || (origin !== undefined && domains.includes(origin))
