import { absolutePath, flag, type Settings, text } from './setting.ts'

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
