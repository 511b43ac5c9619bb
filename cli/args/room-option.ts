import { Option } from 'commander'

const description = 'chatroom by name or id'

/** The room of a command that does something else without one. */
export const optionalRoomOption = (): Option => new Option('--room <room>', description)

/** The room that a command works in. */
export const roomOption = (): Option =>
  new Option('--room <room>', `${description} (default: your only room)`)

/** The room of a run. It is needed only for runs that were neither submitted nor listed on this machine. */
export const runRoomOption = (): Option =>
  new Option('--room <room>', `${description}; not needed for runs submitted or listed from here`)
