import type { EnvironmentOverview } from '@sandbox-jobs/contract/resources/environments/environment-overview.ts'
import { type Severity, severities } from '@sandbox-jobs/contract/severities.ts'

/** An environment with open findings. */
export interface Counted {
  id: string
  name: string
  findings: Readonly<Record<Severity, number>>
}

type Overview = Pick<EnvironmentOverview, 'id' | 'name' | 'findings'>

/** Environments with open findings, those with more of the worst first. Those that the person does not manage are left out. */
export function countedFindings(overviews: readonly Overview[]): Counted[] {
  const counted = overviews.flatMap(({ id, name, findings }) =>
    findings !== null && severities.some((each) => findings[each] > 0) ? [{ id, name, findings }] : [],
  )
  return counted.toSorted((some, other) => {
    const first = severities.find((each) => some.findings[each] !== other.findings[each])
    return first === undefined ? 0 : other.findings[first] - some.findings[first]
  })
}
