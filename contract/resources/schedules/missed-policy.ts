/** The fate of ticks that the service could not start in time. */
export const missedPolicies = ['skip', 'once'] as const
export type MissedPolicy = (typeof missedPolicies)[number]
