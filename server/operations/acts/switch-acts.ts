import type { Database } from '../../db/database.ts'
import { acceptChanges, stopChanges } from '../kill-switch/kill-switch.ts'
import type { Act } from './act.ts'

interface Services {
  db: Database
}

/** Refuses changes of all companies. Returns since when they are refused. */
export const turnSwitchOn = (): Act<Services, Date> => ({
  entry: { act: 'kill_switch_on' },
  work: ({ db }) => stopChanges(db),
})

/** Accepts changes again. False: operators had not stopped them. */
export const turnSwitchOff = (): Act<Services, boolean> => ({
  entry: { act: 'kill_switch_off' },
  work: ({ db }) => acceptChanges(db),
})
