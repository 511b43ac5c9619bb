import type { BuildConfig } from '../../base/config/build-settings.ts'
import type { PackageMirror } from '../../executor/port/package-mirror.ts'
import type { SandboxNetwork } from '../../executor/port/sandbox-spec.ts'
import { readPackageHosts } from './package-hosts.ts'

/** The operator's settings for the network of build steps. */
export type BuildNetworkSettings = BuildConfig

/**
 * The network of a build's steps. With `packages`, no listed host and no mirror there is no link at all. Throws if the list cannot be
 * read: a build never gets more than the list because of that.
 */
export async function networkOfBuilds(
  { buildNetwork, packageHostsFile, buildEgressCapBytes: egressCapBytes }: BuildNetworkSettings,
  mirrors: readonly PackageMirror[],
): Promise<SandboxNetwork> {
  if (buildNetwork === 'none') return 'none'
  const network = {
    egressCapBytes,
    recorded: true as const,
    ...(mirrors.length > 0 && { mirrors: true as const }),
  }
  if (buildNetwork === 'public') return network
  const names = packageHostsFile === undefined ? [] : await readPackageHosts(packageHostsFile)
  const isClosed = names.length === 0 && mirrors.length === 0
  return isClosed ? 'none' : { ...network, allow: { names, ranges: [] } }
}
