import { aligned } from '../../bench/harness/measure/report.ts'

/** One measured value, and the most that it may be. */
export interface Figure {
  measure: string
  what: string
  value: number
  unit: 'ms' | 'KiB' | 'MiB' | 'nodes'
  /** Null: it is there for comparison. */
  most: number | null
}

export const isMissed = ({ value, most }: Figure): boolean => most !== null && !(value <= most)

export function tableText(figures: readonly Figure[]): string {
  const lines = figures.map((figure) => [
    ...[figure.measure, figure.what, figure.value.toFixed(1), figure.unit, figure.most?.toString() ?? ''],
    figure.most === null ? '' : isMissed(figure) ? 'no' : 'yes',
  ])
  const missed = figures.filter(isMissed).length
  const table = aligned([['measure', 'what', 'value', 'unit', 'at most', 'met'], ...lines])
  return `${table}\n\n${figures.length} figures, ${missed} above their bar\n`
}
