import { absolutePath, integer, oneOf, type Settings } from './setting.ts'

/** Destinations that the steps of builds may reach. */
export interface BuildConfig {
  /** `packages`: the listed package hosts; `public`: every public address; `none`: nothing. */
  buildNetwork: 'packages' | 'public' | 'none'
  /** File with the names of the package hosts, one per line; absent: the list in the data folder. */
  packageHostsFile: string | undefined
  /** Bytes that the steps of one sandbox of a build may send. */
  buildEgressCapBytes: number
}

export const buildSettings: Settings<BuildConfig> = {
  buildNetwork: {
    env: 'SANDBOX_BUILD_NETWORK',
    description:
      'what build steps reach: packages (the listed package hosts), public (public addresses) or none',
    fallback: () => 'packages',
    ...oneOf('packages', 'public', 'none'),
  },
  packageHostsFile: {
    env: 'SANDBOX_PACKAGE_HOSTS_FILE',
    description:
      "file with the names of package hosts, one per line, readable by the worker's user; default: the list of sandbox operator package-hosts",
    fallback: () => undefined,
    ...absolutePath,
  },
  buildEgressCapBytes: {
    env: 'SANDBOX_BUILD_EGRESS_CAP_BYTES',
    description: 'bytes that the steps in one sandbox of a build may send',
    fallback: () => 1024 ** 3,
    ...integer(0, 2 ** 50),
  },
}
