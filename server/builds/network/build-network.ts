import type { BuildConfig } from '../../base/config/build-settings.ts'
import type { SandboxNetwork } from '../../executor/port/sandbox-spec.ts'
import { readPackageHosts } from './package-hosts.ts'

/** The operator's settings for the network of build steps. */
export type BuildNetworkSettings = BuildConfig

/**
 * The network of a build's steps. With `packages` and no listed host there is no link at all. Throws if the list cannot be
 * read: a build never gets more than the list because of that.
 */
export async function networkOfBuilds({
  buildNetwork,
  packageHostsFile,
  buildEgressCapBytes: egressCapBytes,
}: BuildNetworkSettings): Promise<SandboxNetwork> {
  if (buildNetwork === 'none') return 'none'
  if (buildNetwork === 'public') return { egressCapBytes, recorded: true }
  const names = packageHostsFile === undefined ? [] : await readPackageHosts(packageHostsFile)
  return names.length === 0 ? 'none' : { egressCapBytes, recorded: true, allow: { names, ranges: [] } }
}
