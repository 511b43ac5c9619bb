import type { DoorRuntime } from '@sandbox-jobs/contract/resources/doors/door.ts'

/** Three numbers, most significant first. */
type Version = readonly [number, number, number]

const partsOf = (text: string): Version => {
  const [major = 0, minor = 0, patch = 0] = text.split('.').map(Number)
  return [major, minor, patch]
}

const compare = (a: Version, b: Version): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]

const selector =
  /^(?<how>\^|~|>=|=)?v?(?<major>\d{1,9}|[xX*])(?:\.(?<minor>\d{1,9}|[xX*]))?(?:\.(?<patch>\d{1,9}|[xX*]))?$/

/** Which versions a selector names: `3.12.0`, `3`, `3.x`, `*`, `^3.1`, `~3.12`, `>=3`. Undefined for another form. */
export function versionSelector(text: string): ((version: string) => boolean) | undefined {
  const { how = '', major = '', minor, patch } = selector.exec(text.trim())?.groups ?? {}
  if (major === '') return undefined
  const given: number[] = []
  for (const part of [major, minor, patch]) {
    if (part === undefined || /^[xX*]$/.test(part)) break
    given.push(Number(part))
  }
  const [lowMajor = 0, lowMinor = 0, lowPatch = 0] = given
  const low: Version = [lowMajor, lowMinor, lowPatch]
  const kept = keptParts(how, low, given.length)
  return (version) => {
    const parts = partsOf(version)
    return compare(parts, low) >= 0 && low.slice(0, kept).every((part, at) => part === parts[at])
  }
}

/** How many leading numbers must be equal. */
function keptParts(how: string, low: Version, given: number): number {
  if (how === '>=') return 0
  if (how === '~') return Math.min(given, 2)
  if (how !== '^') return given
  const firstSet = low.findIndex((part) => part > 0)
  return Math.min(given, firstSet === -1 ? given : firstSet + 1)
}

/** The newest version of the language that the selector names. */
export function selectRuntime(
  runtimes: readonly DoorRuntime[],
  { language, version }: { language: string; version: string },
): DoorRuntime | undefined {
  const matches = versionSelector(version)
  if (!matches) return undefined
  return runtimes
    .filter((runtime) => runtime.language === language || runtime.aliases.includes(language))
    .filter((runtime) => matches(runtime.version))
    .toSorted((a, b) => compare(partsOf(b.version), partsOf(a.version)))[0]
}
