/*
 * Workers under a policy that requires trusted types: an address of a script is trusted only if it is an asset of the console.
 */

interface TrustedScriptPolicy {
  createScriptURL: (url: string) => string
}

interface TrustedTypes {
  createPolicy: (name: string, rules: TrustedScriptPolicy) => TrustedScriptPolicy
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }

const policy = trustedTypes?.createPolicy('workers', { createScriptURL: ownAsset })

function ownAsset(url: string): string {
  const { origin, pathname } = new URL(url, location.href)
  if (origin !== location.origin || !pathname.startsWith(import.meta.env.BASE_URL)) {
    throw new Error('not a script of the console')
  }
  return url
}

/** Starts a worker from the address that an import with `?worker&url` gives. */
export const startWorker = (url: string): Worker =>
  new Worker(policy?.createScriptURL(url) ?? ownAsset(url), { type: 'module' })
