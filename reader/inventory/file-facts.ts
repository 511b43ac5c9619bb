import type { ObservationRule } from './inventory.ts'

const setuid = 0o4000
const setgid = 0o2000
const sticky = 0o1000
const writableByOthers = 0o002
const executableByGroup = 0o010

/** Observations from the mode and the attributes of a file or folder. */
export function factsOf(entry: {
  kind: string
  mode: number
  attributeNames: readonly string[]
}): ObservationRule[] {
  const { kind, mode } = entry
  const has = (bits: number) => (mode & bits) === bits
  const facts: ObservationRule[] = []
  if (kind === 'directory') {
    // In a sticky folder users cannot remove files of others.
    if (has(writableByOthers) && !has(sticky)) facts.push('world_writable_folder')
    return facts
  }
  if (kind !== 'file') return facts
  if (has(setuid)) facts.push('setuid_file')
  // Without the group's right to execute, the bit only asks for mandatory locking.
  if (has(setgid | executableByGroup)) facts.push('setgid_file')
  if (entry.attributeNames.includes('security.capability')) facts.push('capability_file')
  return facts
}
