/** Profiles that a tenant can select; `xlarge` is reserved for the operator. */
export const selectableProfiles = ['standard', 'performance', 'large'] as const
