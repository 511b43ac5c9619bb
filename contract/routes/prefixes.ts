/** Where the areas of the contract live below the base URL. */
export const sandboxPrefix = '/private/module/sandbox'
/** What users need beyond the contract's own paths, under the same rules. */
export const extensionPrefix = '/private/module/sandbox_ext'
export const platformPrefix = '/private/platform'
export const publicSandboxPrefix = '/public/info/sandbox'
/** The same, for anybody. */
export const publicExtensionPrefix = '/public/info/sandbox_ext'
export const publicModelKeyPrefix = '/public/info/model_key'
export const publicArtifactPrefix = '/public/sandbox/artifacts'
