/** The message of the one log line by which a role tells its supervisor that it does its work from now on. */
export const readyMessage = 'ready'
