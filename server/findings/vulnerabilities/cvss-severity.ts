import type { Severity } from '@sandbox-jobs/contract/severities.ts'

/** Weights of the base metrics (CVSS v3.1 specification, section 7.4). */
const weights: Record<string, Record<string, number>> = {
  AV: { N: 0.85, A: 0.62, L: 0.55, P: 0.2 },
  AC: { L: 0.77, H: 0.44 },
  UI: { N: 0.85, R: 0.62 },
  C: { H: 0.56, L: 0.22, N: 0 },
  I: { H: 0.56, L: 0.22, N: 0 },
  A: { H: 0.56, L: 0.22, N: 0 },
}
const privileges = {
  U: { N: 0.85, L: 0.62, H: 0.27 },
  C: { N: 0.85, L: 0.68, H: 0.5 },
} as const

/** The qualitative rating of a CVSS v3 vector's base score. `unknown` if the vector is invalid. */
export function cvssSeverity(vector: string): Severity {
  const score = baseScore(vector)
  if (score === undefined) return 'unknown'
  if (score >= 9) return 'critical'
  if (score >= 7) return 'high'
  return score >= 4 ? 'medium' : 'low'
}

export function baseScore(vector: string): number | undefined {
  if (!/^CVSS:3\.[01](?:\/[A-Z]{1,3}:[A-Z]){8,32}$/.test(vector)) return undefined
  const metrics = new Map(vector.split('/').map((part) => part.split(':') as [string, string]))
  const scope = metrics.get('S') === 'C' ? 'C' : 'U'
  const privilege = privileges[scope][(metrics.get('PR') ?? '') as 'N']
  const weight = (metric: string) => weights[metric]?.[metrics.get(metric) ?? ''] ?? Number.NaN
  const isc = 1 - (1 - weight('C')) * (1 - weight('I')) * (1 - weight('A'))
  const impact = scope === 'U' ? 6.42 * isc : 7.52 * (isc - 0.029) - 3.25 * (isc - 0.02) ** 15
  const exploitability = 8.22 * weight('AV') * weight('AC') * privilege * weight('UI')
  if (Number.isNaN(impact + exploitability)) return undefined
  if (impact <= 0) return 0
  return roundUp(Math.min((scope === 'U' ? 1 : 1.08) * (impact + exploitability), 10))
}

/** Rounds up to one decimal as in appendix A of the specification, which avoids binary floating-point errors. */
function roundUp(value: number): number {
  const whole = Math.round(value * 100_000)
  return whole % 10_000 === 0 ? whole / 100_000 : (Math.floor(whole / 10_000) + 1) / 10
}
