import type { RunStateEvent } from '@sandbox-jobs/contract/resources/runs/state-event.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { RunState } from '@sandbox-jobs/contract/states/run-states.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { addressOf } from '../api/api.ts'

/** A state that the run has had, and since when. */
export interface TimedState {
  status: RunState
  at: string
}

interface Followed {
  states: readonly TimedState[]
  /** The stream is open or has ended: nothing needs to be asked for again and again. */
  isFollowing: boolean
}

const start: Followed = { states: [], isFollowing: true }

/**
 * Follows the states of a run. Each new one has all that is shown of the run read again. A component shows one run for
 * all of its life.
 */
export function useRunStates(cid: string, rid: string): Followed {
  const queries = useQueryClient()
  const [followed, setFollowed] = useState(start)
  useEffect(() => {
    const source = new EventSource(addressOf(allRoutes.followRunEvents, { params: { cid, rid } }))
    source.addEventListener('state', ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as RunStateEvent
      if (event.kind !== 'state') return
      setFollowed(({ states }) => ({ states: withState(states, event), isFollowing: true }))
      void queries.invalidateQueries({ predicate: ({ queryKey }) => isOfRun(queryKey, rid) })
    })
    source.addEventListener('end', () => source.close())
    // The browser connects again by itself, unless the service refused.
    source.addEventListener('error', () => {
      if (source.readyState === EventSource.CLOSED)
        setFollowed(({ states }) => ({ states, isFollowing: false }))
    })
    return () => source.close()
  }, [cid, rid, queries])
  return followed
}

/** A stream that begins again repeats what it has sent. */
const withState = (states: readonly TimedState[], { status, at }: TimedState): readonly TimedState[] =>
  states.some((each) => each.status === status && each.at === at) ? states : [...states, { status, at }]

const isOfRun = (key: readonly unknown[], rid: string): boolean =>
  key.some((part) => typeof part === 'object' && part !== null && 'rid' in part && part.rid === rid)
