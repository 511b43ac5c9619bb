import { useEffect } from 'react'
import { Store } from '../data/store.ts'

/** A step of the way to the screen. */
export interface Step {
  text: string
  /** Path below `/console`. */
  to: string
}

/** Where the person is, from the section down to the parent of the screen. */
export const trail = new Store<readonly Step[]>([])

export function useTrail(steps: readonly Step[]): void {
  const written = JSON.stringify(steps)
  useEffect(() => {
    trail.set(JSON.parse(written) as Step[])
    return () => trail.set([])
  }, [written])
}
