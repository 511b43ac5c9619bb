import { Store } from '../store.ts'

const shownMax = 5
const key = 'last_rooms'

const stored = (): string[] => {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string').slice(0, shownMax) : []
  } catch {
    return []
  }
}

/** Identifiers of the rooms that were opened last on this device, the newest first. */
export const lastRooms = new Store<readonly string[]>(stored())

export function noteRoom(cid: string): void {
  const ids = [cid, ...lastRooms.get().filter((id) => id !== cid)].slice(0, shownMax)
  localStorage.setItem(key, JSON.stringify(ids))
  lastRooms.set(ids)
}
