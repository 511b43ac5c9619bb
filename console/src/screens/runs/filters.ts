import { type RunState, runStates } from '@sandbox-jobs/contract/states/run-states.ts'
import type { RunFilters } from '../../data/runs.ts'
import { dayOf, present } from '../../data/search-values.ts'

/** The filters of a list of runs, as the address has them. */
export interface Filters {
  status?: RunState[]
  room?: string
  task?: string
  /** Days as `YYYY-MM-DD` in the zone of the person; `to` is the last one that counts. */
  from?: string
  to?: string
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const isRunState = (value: unknown): value is RunState => (runStates as readonly unknown[]).includes(value)

/** Filters of an address, which anybody may have written: what is no filter is left out. */
export function readFilters(search: Record<string, unknown>): Filters {
  const status = (Array.isArray(search.status) ? search.status : [search.status]).filter(isRunState)
  return present({
    status: status.length > 0 ? [...new Set(status)] : undefined,
    room: text(search.room),
    task: text(search.task),
    from: dayOf(search.from),
    to: dayOf(search.to),
  })
}

/** The same as the API takes them. */
export const queryOfFilters = ({ status, room, task, from, to }: Filters): RunFilters =>
  present({
    status,
    chatroom_id: room,
    task_id: task,
    queued_after: from && startOfDay(from, 0),
    queued_before: to && startOfDay(to, 1),
  })

/** The instant at which the day, or one after it, begins where the person is. */
function startOfDay(written: string, later: number): string {
  const [year = 0, month = 1, date = 1] = written.split('-').map(Number)
  return new Date(year, month - 1, date + later).toISOString()
}

export const isFiltered = (filters: Filters): boolean => Object.keys(filters).length > 0
