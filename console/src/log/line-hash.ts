import type { LineRange } from './use-log-position.ts'

/** The lines that the end of an address names: `L120` or `L120-L140`. */
export function linesOf(hash: string): LineRange | undefined {
  const [, first, last = first] = /^#?L([1-9]\d{0,8})(?:-L([1-9]\d{0,8}))?$/.exec(hash) ?? []
  if (first === undefined) return undefined
  const [from, to] = [Number(first), Number(last)]
  return { first: Math.min(from, to), last: Math.max(from, to) }
}

/** The end of the address of lines. */
export const hashOf = ({ first, last }: LineRange): string =>
  first === last ? `L${first}` : `L${first}-L${last}`
