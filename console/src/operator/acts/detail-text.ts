/** The details of an entry beside its reason: `run_concurrency_limit: 5, request: …`. */
export const detailText = (details: Record<string, unknown>): string =>
  Object.entries(details)
    .filter(([name]) => name !== 'reason')
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
