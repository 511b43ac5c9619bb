import { emptyQueue, endRun } from '../../operations/acts/run-acts.ts'
import { doHere, type Outcome } from './local-service.ts'

/** Returns the company of the run; undefined: no run of that id has yet to end. */
export const endRunHere = (id: string, reason: string): Outcome<string | undefined> =>
  doHere(endRun(id), reason)

/** Returns the number of runs that wait; undefined: no such company. */
export const emptyQueueHere = (company: string, reason: string): Outcome<number | undefined> =>
  doHere(emptyQueue(company), reason)
