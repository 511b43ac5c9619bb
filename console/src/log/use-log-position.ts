import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import type { FixedRowsHandle } from '../parts/fixed-rows.tsx'
import type { LogClient, LogSnapshot } from './log-client.ts'
import type { LogState } from './log-messages.ts'
import { firstAtLeast } from './log-rows.ts'

/** Lines from 1, as people count them. */
export interface LineRange {
  first: number
  last: number
}

/** Rows of the list that are drawn. */
export interface ShownRows {
  first: number
  end: number
}

interface LogPositionProps {
  list: RefObject<FixedRowsHandle | null>
  log: LogClient
  snapshot: LogSnapshot
  shown: ShownRows
  isLive: boolean
  startsAtEnd: boolean
  selected: LineRange | undefined
}

export interface LogPosition {
  isFollowing: boolean
  /** Lines that have come since the person stopped to follow. */
  newLines: number
  follow: () => void
  onMoved: (isAtEnd: boolean) => void
  /** Lines from 0. */
  showLine: (line: number) => void
  /** Which of the found lines is shown, from 0. */
  match: number | undefined
  forgetMatch: () => void
  stepMatch: (by: 1 | -1) => void
}

/** Where a log is looked at: at its end while it is followed, else where the person, a link or a search has led. */
export function useLogPosition(props: LogPositionProps): LogPosition {
  const { list, log, snapshot, shown, isLive, startsAtEnd, selected } = props
  const { state, found } = snapshot
  const [isFollowing, setIsFollowing] = useState(selected === undefined && (isLive || startsAtEnd))
  const [seenLines, setSeenLines] = useState(0)
  const [match, setMatch] = useState<number>()

  const followEnd = useEffectEvent((_state: LogState) => isFollowing && list.current?.toEnd())
  useEffect(() => void followEnd(state), [state])

  async function reveal(line: number) {
    list.current?.reveal(await log.ask({ about: 'row_of', line }), 'center')
  }

  const isReached = selected !== undefined && !state.isTail && (state.lines >= selected.last || state.isWhole)
  const revealSelected = useEffectEvent(() => selected && void reveal(selected.first - 1))
  useEffect(() => {
    if (isReached) revealSelected()
  }, [isReached])

  function showLine(line: number) {
    setIsFollowing(false)
    void reveal(line)
  }

  return {
    ...{ isFollowing, match, showLine },
    newLines: state.lines - seenLines,
    follow: () => {
      setIsFollowing(true)
      list.current?.toEnd()
    },
    onMoved: (isAtEnd) => {
      if (isFollowing && !isAtEnd) setSeenLines(state.lines)
      setIsFollowing(isAtEnd && !state.isWhole)
    },
    forgetMatch: () => setMatch(undefined),
    stepMatch: (by) => {
      const lines = found?.lines
      if (lines === undefined || lines.length === 0) return
      const inView = log.row(shown.first)?.line ?? 0
      const from = match ?? firstAtLeast(lines, inView, lines.length) - (by === 1 ? 1 : 0)
      const next = (from + by + lines.length) % lines.length
      setMatch(next)
      showLine(lines[next] ?? 0)
    },
  }
}
