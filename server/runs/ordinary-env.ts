import {
  envEntryMaxBytes,
  envNamePattern,
  envNamesMax,
  ordinaryEnvMaxBytes,
  reservedEnvPrefix,
} from '@sandbox-jobs/contract/limits.ts'

const namePattern = new RegExp(envNamePattern)

/** A name every shell can export and that is not the platform's. */
export const isEnvName = (name: string): boolean =>
  namePattern.test(name) && !name.startsWith(reservedEnvPrefix)

/**
 * What of a version's `ordinary_env` a shell can export. The value is stored as its author gave it and checked only
 * where secret slots are declared (contract part 1, "Task version"); elsewhere what cannot be exported is left out.
 */
export function exportableEnv(env: Record<string, unknown> | null): Record<string, string> {
  const exported: Record<string, string> = {}
  for (const [name, value] of Object.entries(env ?? {})) {
    const text = textOf(value)
    if (isEnvName(name) && text !== undefined) exported[name] = text
  }
  return exported
}

/** True when `ordinary_env` and the declared secrets keep the rules of names, number and sizes. */
export function isValidEnv(env: Record<string, unknown> | null, secretNames: number): boolean {
  const entries = Object.entries(env ?? {})
  if (entries.length + secretNames > envNamesMax) return false
  if (Buffer.byteLength(JSON.stringify(env ?? {})) > ordinaryEnvMaxBytes) return false
  return entries.every(([name, value]) => {
    const text = textOf(value)
    return isEnvName(name) && text !== undefined && Buffer.byteLength(name + text) <= envEntryMaxBytes
  })
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && !value.includes('\0') ? value : undefined
}
