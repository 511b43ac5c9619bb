import { foundRunsLimitMax } from '@sandbox-jobs/contract/resources/runs/found-run.ts'

/** The chosen runs of a list: some, or all that match its filters. */
export type Selection = 'all' | ReadonlySet<string>

export const nothing: Selection = new Set()

export const isChosen = (selection: Selection, id: string): boolean =>
  selection === 'all' || selection.has(id)

export const countOf = (selection: Selection, total: number): number =>
  selection === 'all' ? total : selection.size

/** The same with a run in it or without; where all are chosen, none is left out. */
export function toggled(selection: Selection, id: string): Selection {
  if (selection === 'all') return selection
  const rest = new Set(selection)
  if (rest.delete(id)) return rest
  return withRuns(selection, [id])
}

/** The same with further runs, as many as one request takes. */
export const withRuns = (selection: Selection, ids: readonly string[]): Selection =>
  selection === 'all' ? selection : new Set([...selection, ...ids].slice(0, foundRunsLimitMax))
