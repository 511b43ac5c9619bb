import { type Severity, severities } from '@sandbox-jobs/contract/severities.ts'
import {
  type FindingState,
  findingStates,
  openFindingStates,
} from '@sandbox-jobs/contract/states/finding-states.ts'
import { present, valuesIn } from '../../data/search-values.ts'

/** Filters of a list of findings, as the address has them. */
export interface FindingFilters {
  state?: FindingState[]
  severity?: Severity[]
}

/** Filters of an address, which anybody may have written: what is no filter is left out. */
export const readFindingFilters = (search: Record<string, unknown>): FindingFilters =>
  present({
    state: valuesIn(search.state, findingStates),
    severity: valuesIn(search.severity, severities),
  })

/** The same as the API takes them. Without a state those that the current version shows. */
export const queryOfFindings = ({ state, severity }: FindingFilters) => ({
  state: state ?? [...openFindingStates],
  ...(severity && { severity }),
})
