/** Where the log of a build is kept. */
export const buildLogKey = (attemptId: string) => `builds/${attemptId}/log`
