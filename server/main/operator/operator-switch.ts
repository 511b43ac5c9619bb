import { turnSwitchOff, turnSwitchOn } from '../../operations/acts/switch-acts.ts'
import { doHere, type Outcome } from './local-service.ts'

export const turnSwitchOnHere = (): Outcome<Date> => doHere(turnSwitchOn())

export const turnSwitchOffHere = (): Outcome<boolean> => doHere(turnSwitchOff())
