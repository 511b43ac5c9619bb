import { type RunState, runStates } from '@sandbox-jobs/contract/states/run-states.ts'
import type { RunFilters } from '../../data/runs/runs.ts'
import { dayIn, present, textIn, valuesIn } from '../../data/search-values.ts'

/** The filters of a list of runs, as the address has them. */
export interface Filters {
  status?: RunState[]
  room?: string
  task?: string
  /** Days as `YYYY-MM-DD` in the zone of the person; `to` is the last one that counts. */
  from?: string
  to?: string
}

/** Filters of an address, which anybody may have written: what is no filter is left out. */
export const readFilters = (search: Record<string, unknown>): Filters =>
  present({
    status: valuesIn(search.status, runStates),
    room: textIn(search.room),
    task: textIn(search.task),
    from: dayIn(search.from),
    to: dayIn(search.to),
  })

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
