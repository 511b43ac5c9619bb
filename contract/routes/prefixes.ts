/** Path prefixes of the contract's areas below the base URL. */
export const sandboxPrefix = '/private/module/sandbox'
/** Routes that the contract does not define, under the same rules. */
export const extensionPrefix = '/private/module/sandbox_ext'
export const tablesPrefix = '/private/module/custom_tables'
export const callbackPrefix = '/public/module/custom_tables/callback'
export const platformPrefix = '/private/platform'
export const publicSandboxPrefix = '/public/info/sandbox'
/** The same, without login. */
export const publicExtensionPrefix = '/public/info/sandbox_ext'
export const publicModelKeyPrefix = '/public/info/model_key'
export const publicArtifactPrefix = '/public/sandbox/artifacts'
export const publicSharePrefix = '/public/sandbox/share'
export const publicMediaPrefix = '/public/sandbox/media'
