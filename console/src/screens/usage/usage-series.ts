import type { UsageItem } from '@sandbox-jobs/contract/resources/companies/usage-report.ts'
import type { Dimension } from './usage-filters.ts'

/** The values of the chart: money, or time where nothing has a price. */
export type Measure = 'cost' | 'seconds'

/** The values of one subject by day. */
export interface Series {
  id: string
  /** Null: all others. */
  name: string | null
  values: number[]
}

const seriesMax = 4
const dayMs = 86_400_000

const fields = {
  task: ['subject_id', 'subject_name'],
  room: ['chatroom_id', 'chatroom_name'],
  department: ['department_id', 'department_name'],
  person: ['principal_id', 'principal_name'],
} as const satisfies Record<Dimension, readonly (keyof UsageItem)[]>

/** The identifier and the name of what a line is about; builds have no room and no person. */
export function subjectOf(item: UsageItem, by: Dimension): { id: string; name: string | null } {
  const [id, name] = fields[by]
  return { id: item[id] ?? '', name: item[name] }
}

export const measureOf = (items: readonly UsageItem[]): Measure =>
  items.some(({ cost }) => Number(cost) > 0) ? 'cost' : 'seconds'

/** Every day from the first to the last one, both counted. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs)
    days.push(new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length))
  return days
}

/** The largest subjects by day, and the others together. Sums are floating-point numbers: exact enough for a chart, not for a bill. */
export function seriesOf(
  items: readonly UsageItem[],
  { by, days, measure }: { by: Dimension; days: readonly string[]; measure: Measure },
): Series[] {
  const at = new Map(days.map((each, index) => [each, index]))
  const bySubject = Map.groupBy(items, (item) => subjectOf(item, by).id)
  const all = [...bySubject].map(([id, lines]): Series & { sum: number } => {
    const values = days.map(() => 0)
    for (const line of lines) {
      const index = at.get(line.day ?? '')
      if (index !== undefined) values[index] = (values[index] ?? 0) + Number(line[measure])
    }
    const name = lines[0] && subjectOf(lines[0], by).name
    return { id, name: name ?? id, values, sum: values.reduce((sum, value) => sum + value, 0) }
  })
  const sorted = all.toSorted((some, other) => other.sum - some.sum)
  const shown = sorted.slice(0, seriesMax).map(({ id, name, values }) => ({ id, name, values }))
  const others = sorted.slice(seriesMax)
  if (others.length === 0) return shown
  const rest = days.map((_, index) => others.reduce((sum, { values }) => sum + (values[index] ?? 0), 0))
  return [...shown, { id: 'others', name: null, values: rest }]
}
