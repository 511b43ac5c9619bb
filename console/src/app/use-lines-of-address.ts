import { useLocation, useNavigate } from '@tanstack/react-router'
import { hashOf, linesOf } from '../log/line-hash.ts'
import type { LineRange } from '../log/use-log-position.ts'

interface LinesOfAddress {
  selected: LineRange | undefined
  onSelect: (lines: LineRange) => void
}

/** The lines of a log that the end of the address names, and the selection of others. */
export function useLinesOfAddress(): LinesOfAddress {
  const navigate = useNavigate()
  const hash = useLocation({ select: (location) => location.hash })
  return {
    selected: linesOf(hash),
    onSelect: (lines) => void navigate({ to: '.', hash: hashOf(lines), replace: true }),
  }
}
