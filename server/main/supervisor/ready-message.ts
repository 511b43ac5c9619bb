/** The message of the one log line by which a role tells its supervisor that it does its work from now on. */
export const readyMessage = 'ready'

/** The message of a line by which a role tells its supervisor that its start takes long and goes on. */
export const progressMessage = 'still starting'
