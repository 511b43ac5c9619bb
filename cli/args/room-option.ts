import { Option } from 'commander'

const description = 'chatroom, by id; administrators may give its name'

/** The room that a command works in. */
export const roomOption = (): Option => new Option('--room <room>', description).makeOptionMandatory()

/** The room of a run: needed only for runs that this machine has neither submitted nor listed. */
export const runRoomOption = (): Option =>
  new Option('--room <room>', `${description}; not needed for runs submitted or listed from here`)
