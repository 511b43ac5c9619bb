/** The answer of a registry to the request for a manifest, as `registry-probe.ts` prints it. */
export type RegistryRefusal =
  | {
      problem: 'base_name_unknown' | 'base_tag_unknown' | 'base_login_required' | 'base_registry_unreachable'
    }
  /** `waitSeconds`: until the registry takes requests again, if it says so. */
  | { problem: 'base_rate_limited'; waitSeconds: number | undefined }

const line = /^(\d{3}|-) (NAME_UNKNOWN|MANIFEST_UNKNOWN|-) (\S{1,40}) (?:-|(\d{1,9})(?:;w=(\d{1,9}))?)\n$/

/** No registry limits rates by longer windows. */
const maxWaitSeconds = 7 * 86_400

/**
 * Parses the answer, which a hostile registry may have chosen. `isOfficial`: its names have no login. Undefined if the answer
 * does not explain why an image cannot be pulled.
 */
export function registryRefusal(
  answer: string,
  { isOfficial, now }: { isOfficial: boolean; now: Date },
): RegistryRefusal | undefined {
  if (answer === '') return { problem: 'base_registry_unreachable' }
  const [, status, code, retryAfter = '', remaining, window] = line.exec(answer) ?? []
  if (status === '429' || (remaining !== undefined && Number(remaining) === 0)) {
    return { problem: 'base_rate_limited', waitSeconds: waitOf(retryAfter, now) ?? bounded(Number(window)) }
  }
  if (status === '404' && code === 'NAME_UNKNOWN') return { problem: 'base_name_unknown' }
  if (status === '404' && code === 'MANIFEST_UNKNOWN') return { problem: 'base_tag_unknown' }
  if (status === '401' || status === '403') {
    return { problem: isOfficial ? 'base_name_unknown' : 'base_login_required' }
  }
  return undefined
}

/** `Retry-After`: seconds, or a date with `_` for spaces. */
const waitOf = (text: string, now: Date): number | undefined =>
  bounded(/^\d+$/.test(text) ? Number(text) : (Date.parse(text.replaceAll('_', ' ')) - now.getTime()) / 1000)

const bounded = (seconds: number): number | undefined =>
  seconds >= 0 && seconds <= maxWaitSeconds ? Math.ceil(seconds) : undefined
