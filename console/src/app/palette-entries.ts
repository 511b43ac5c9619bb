import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { me } from '../data/person/me.ts'
import { hasRooms } from '../data/person/roles.ts'
import { menuOf } from '../data/rooms/menu.ts'
import { ownRooms } from '../data/rooms/rooms.ts'
import { screenOf } from '../data/screen-of.ts'
import { foundThings, groupOf, isSearch } from '../data/search.ts'
import { useSettled } from '../data/settled.ts'
import { useStore } from '../data/store.ts'
import type { Texts } from '../texts/en.ts'
import { useTexts } from '../texts/texts.tsx'
import { keysOf, offered } from './actions.ts'
import { keyActions } from './keys.ts'

export interface PaletteEntry {
  key: string
  group: keyof Texts['palette']['groups']
  text: string
  /** The keys that do the same. */
  keys?: string
  run: () => void
}

/** Everything that the person can go to or do: actions of this screen first, then jobs of this room, then rooms. */
export function usePaletteEntries(): PaletteEntry[] {
  const t = useTexts()
  const navigate = useNavigate()
  const { cid } = useParams({ strict: false })
  const now = useStore(offered)
  const { data: account } = useQuery(me)
  const { data: rooms = [] } = useQuery({ ...ownRooms, enabled: hasRooms(account?.role) })
  const { data: menu } = useQuery({ ...menuOf(cid ?? ''), enabled: cid !== undefined })

  const actions = [...now].map(([id, run]): PaletteEntry => {
    const { isEverywhere, text } = keyActions[id]
    return { key: id, group: isEverywhere ? 'screens' : 'actions', text: text(t), keys: keysOf(id), run }
  })
  const tasks = (cid === undefined ? [] : (menu ?? [])).map(
    (item): PaletteEntry => ({
      key: item.task_id,
      group: 'tasks',
      text: item.task_name,
      run: () =>
        void navigate({
          to: '/chatrooms/$cid/run/$taskId',
          params: { cid: cid ?? '', taskId: item.task_id },
        }),
    }),
  )
  const ofRooms = rooms.map(
    (room): PaletteEntry => ({
      key: room.id,
      group: 'rooms',
      text: room.name,
      run: () => void navigate({ to: '/chatrooms/$cid', params: { cid: room.id } }),
    }),
  )
  return [...actions.filter(({ group }) => group === 'actions'), ...tasks, ...ofRooms, ...screensOf(actions)]
}

const pauseMs = 120

/** Entries for the results of the service's search, and whether a search is pending. */
export function useFoundEntries(typed: string): { entries: PaletteEntry[]; isLooking: boolean } {
  const t = useTexts()
  const navigate = useNavigate()
  const text = useSettled(typed.trim(), pauseMs)
  const found = useQuery({ ...foundThings(text), enabled: isSearch(text), placeholderData: keepPreviousData })
  const items = isSearch(text) ? (found.data?.items ?? []) : []
  const entries = items.flatMap(({ kind, id, title, path }): PaletteEntry[] => {
    const to = screenOf(path)
    return to === undefined
      ? []
      : [{ key: id, group: groupOf[kind], text: title, run: () => void navigate({ to }) }]
  })
  const all: PaletteEntry = {
    key: 'all-results',
    group: 'screens',
    text: t.palette.all(text),
    run: () => void navigate({ to: '/search', search: { q: text } }),
  }
  return { entries: entries.length > 0 ? [...entries, all] : [], isLooking: found.isFetching }
}

/** The palette is open already. */
const screensOf = (actions: PaletteEntry[]): PaletteEntry[] =>
  actions.filter(({ group, key }) => group === 'screens' && key !== 'palette')
