/** The message of the log line by which a role reports to its supervisor that it is ready. */
export const readyMessage = 'ready'

/** The message of the log line by which a role reports that its start takes long and makes progress. */
export const progressMessage = 'still starting'
