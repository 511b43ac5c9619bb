import type { FoundRun, FoundRunList } from '@sandbox-jobs/contract/resources/runs/found-run.ts'
import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { type FoundFilters, pageRows, reachedMax, runsAt } from '../../data/runs/found-runs.ts'
import { useSettled } from '../../data/settled.ts'
import { pagesWith } from './pages-with.ts'

interface FoundRows {
  count: number
  /** Undefined while its page is read. */
  rowAt: (index: number) => FoundRun | undefined
  /** Why a page in view cannot be read. */
  error: Error | null
  retry: () => void
  show: (first: number, end: number) => void
}

/** Pages that a quick scroll passes are not read. */
const restMs = 80
/** Rows beyond those in view whose pages are read too. */
const rowsAhead = 100

/** The rows of a list that begins with `list`: the pages in view are read, and forgotten soon after. */
export function useFoundRows(list: FoundRunList, query: FoundFilters): FoundRows {
  const [wanted, setWanted] = useState<readonly number[]>([0])
  const pages = useSettled(wanted, restMs)
  const answers = useQueries({ queries: pages.map((page) => runsAt(query, list, page)) })
  return {
    count: Math.min(list.total, reachedMax),
    rowAt: (index) => answers[pages.indexOf(Math.floor(index / pageRows))]?.data?.items[index % pageRows],
    error: answers.find(({ error }) => error)?.error ?? null,
    retry: () => {
      for (const answer of answers) if (answer.error) void answer.refetch()
    },
    show: (first, end) => {
      const last = Math.min(end + rowsAhead, list.total, reachedMax)
      const next = pagesWith(Math.max(0, first - rowsAhead), last, pageRows)
      if (next.join() !== wanted.join()) setWanted(next)
    },
  }
}
