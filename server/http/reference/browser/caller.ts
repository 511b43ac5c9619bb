/* The reader of the page, and their room. It is nowhere but in this module, and gone with the page. */

export interface Credential {
  kind: 'key' | 'login'
  value: string
}

/** A task of a room's menu. */
export interface MenuTask {
  task_name: string
  task_version_id: string
  /** JSON, or empty. */
  input_example: string
}

interface Caller {
  credential: Credential | undefined
  room: string
  task: MenuTask | undefined
}

export const caller: Caller = { credential: undefined, room: '', task: undefined }
const listeners = new Set<() => void>()

export function change(next: Partial<Caller>): void {
  Object.assign(caller, next)
  for (const listener of listeners) listener()
}

export const whenChanged = (listener: () => void): void => void listeners.add(listener)

export function credentialHeaders(): Record<string, string> {
  const { credential } = caller
  if (!credential) return {}
  return credential.kind === 'key'
    ? { 'X-Api-Key': credential.value }
    : { Authorization: `Bearer ${credential.value}` }
}
