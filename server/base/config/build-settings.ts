import { absolutePath, flag, oneOf, type Settings, size, text } from './setting.ts'

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
    ...size(0, 2 ** 50),
  },
}

/** Registries of base images. */
export interface RegistryConfig {
  /** `host[:port][/prefix]` of the registry for base images without a host in their name; `none`; absent: the public hub. */
  registry: string | undefined
  /** Whether that registry mirrors the public hub. */
  registryIsMirror: boolean
  /** PEM file of the certificate authority of that registry. */
  registryCaFile: string | undefined
  /** File with `user:password` for that registry, in one line. */
  registryLoginFile: string | undefined
  /** Whether base images may be pulled from the public registry in their name. */
  publicRegistries: boolean
}

export const registrySettings: Settings<RegistryConfig> = {
  registry: {
    env: 'SANDBOX_REGISTRY',
    description:
      'registry for base images without a host in their name: HOST[:PORT][/PREFIX], or none; default the public hub',
    fallback: () => undefined,
    ...text(
      /^(?:none|[a-zA-Z0-9](?:[a-zA-Z0-9-]*[.:][a-zA-Z0-9.:-]*)(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*)$/,
      'none or a host with a dot or a port, and perhaps a path: registry.example.org/mirror',
    ),
  },
  registryIsMirror: {
    env: 'SANDBOX_REGISTRY_IS_MIRROR',
    description: 'whether that registry is a mirror of the public hub, with the same paths',
    fallback: () => false,
    ...flag,
  },
  registryCaFile: {
    env: 'SANDBOX_REGISTRY_CA_FILE',
    description: 'PEM file of the certificate authority of that registry',
    fallback: () => undefined,
    ...absolutePath,
  },
  registryLoginFile: {
    env: 'SANDBOX_REGISTRY_LOGIN_FILE',
    description: "file with USER:PASSWORD for that registry, readable by the worker's user",
    fallback: () => undefined,
    ...absolutePath,
  },
  publicRegistries: {
    env: 'SANDBOX_PUBLIC_REGISTRIES',
    description: 'whether base images may be pulled from the public registry in their name',
    fallback: () => true,
    ...flag,
  },
}
