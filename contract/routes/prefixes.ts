/** Where the areas of the contract live below the base URL. */
export const sandboxPrefix = '/private/module/sandbox'
export const platformPrefix = '/private/platform'
export const publicSandboxPrefix = '/public/info/sandbox'
export const publicArtifactPrefix = '/public/sandbox/artifacts'
