import type { PackageMirror } from '../../../agent/port/package-mirror.ts'
import type { SandboxNetwork } from '../../../agent/port/sandbox-spec.ts'
import type { BuildConfig } from '../../base/config/build-settings.ts'
import type { Config } from '../../base/config/config.ts'
import { ownPackageHosts, readPackageHosts } from './package-hosts.ts'

/** The operator's settings for the network of build steps. */
export type BuildNetworkSettings = BuildConfig & Pick<Partial<Config>, 'dataDir'>

/**
 * The network of a build's steps. With `packages`, no listed host and no mirror there is no link at all. Throws if the list cannot be
 * read: a build never gets more than the list because of that.
 */
export async function networkOfBuilds(
  settings: BuildNetworkSettings,
  mirrors: readonly PackageMirror[],
): Promise<SandboxNetwork> {
  const { buildNetwork, buildEgressCapBytes: egressCapBytes } = settings
  if (buildNetwork === 'none') return 'none'
  const network = {
    egressCapBytes,
    recorded: true as const,
    ...(mirrors.length > 0 && { mirrors: true as const }),
  }
  if (buildNetwork === 'public') return network
  const names = await listedHosts(settings)
  const isClosed = names.length === 0 && mirrors.length === 0
  return isClosed ? 'none' : { ...network, allow: { names, ranges: [] } }
}

/** The package hosts of the operator's file, or else of the data folder. */
export async function listedHosts({
  packageHostsFile,
  dataDir,
}: Pick<BuildNetworkSettings, 'packageHostsFile' | 'dataDir'>): Promise<string[]> {
  if (packageHostsFile !== undefined) return await readPackageHosts(packageHostsFile)
  return dataDir === undefined ? [] : await readPackageHosts(ownPackageHosts(dataDir), { optional: true })
}
