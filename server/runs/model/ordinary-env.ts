import {
  allEnvMaxBytes,
  envEntryMaxBytes,
  envNamePattern,
  envNamesMax,
  ordinaryEnvMaxBytes,
  reservedEnvPrefix,
} from '@sandbox-jobs/contract/limits.ts'

const namePattern = new RegExp(envNamePattern)

/** A name that every shell can export and that the platform does not reserve. */
export const isEnvName = (name: string): boolean =>
  namePattern.test(name) && !name.startsWith(reservedEnvPrefix)

/**
 * The entries of a version's `ordinary_env` that a shell can export. The value is stored as its author sent it and checked
 * only if secret slots are declared (contract part 1, "Task version"). Otherwise entries that cannot be exported are left
 * out.
 */
export function exportableEnv(env: Record<string, unknown> | null): Record<string, string> {
  const exported: Record<string, string> = {}
  for (const [name, value] of Object.entries(env ?? {})) {
    const text = textOf(value)
    if (isEnvName(name) && text !== undefined) exported[name] = text
  }
  return exported
}

/** True if `ordinary_env` and the declared secrets satisfy the rules for names, number and sizes. */
export function isValidEnv(env: Record<string, unknown> | null, secretNames: number): boolean {
  const entries = Object.entries(env ?? {})
  if (entries.length + secretNames > envNamesMax) return false
  if (Buffer.byteLength(JSON.stringify(env ?? {})) > ordinaryEnvMaxBytes) return false
  return entries.every(([name, value]) => {
    const text = textOf(value)
    return isEnvName(name) && text !== undefined && Buffer.byteLength(name + text) <= envEntryMaxBytes
  })
}

/** True if all that a run exports for its author fits together (contract part 1, "Limits"). */
export function isWithinEnvBounds(
  env: Record<string, unknown> | null,
  secrets: Readonly<Record<string, string>>,
): boolean {
  const all = Object.entries({ ...exportableEnv(env), ...secrets })
  return all.reduce((sum, [name, text]) => sum + Buffer.byteLength(name + text), 0) <= allEnvMaxBytes
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && !value.includes('\0') ? value : undefined
}
