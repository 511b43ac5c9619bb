/** The pages with these rows, from 0 on. */
export function pagesWith(first: number, end: number, pageRows: number): number[] {
  const from = Math.floor(first / pageRows)
  const last = Math.floor(Math.max(first, end - 1) / pageRows)
  return Array.from({ length: last - from + 1 }, (_, at) => from + at)
}
