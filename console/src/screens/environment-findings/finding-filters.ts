import { type Severity, severities } from '@sandbox-jobs/contract/severities.ts'
import {
  type FindingState,
  findingStates,
  openFindingStates,
} from '@sandbox-jobs/contract/states/finding-states.ts'

/** Filters of a list of findings, as the address has them. */
export interface FindingFilters {
  state?: FindingState[]
  severity?: Severity[]
}

/** Filters of an address, which anybody may have written: what is no filter is left out. */
export function readFindingFilters(search: Record<string, unknown>): FindingFilters {
  const state = valuesOf(search.state, findingStates)
  const severity = valuesOf(search.severity, severities)
  return { ...(state.length > 0 && { state }), ...(severity.length > 0 && { severity }) }
}

const valuesOf = <Value extends string>(written: unknown, all: readonly Value[]): Value[] =>
  all.filter((value) => (Array.isArray(written) ? written.includes(value) : written === value))

/** The same as the API takes them. Without a state those that the current version shows. */
export const queryOfFindings = ({ state, severity }: FindingFilters) => ({
  state: state ?? [...openFindingStates],
  ...(severity && { severity }),
})
