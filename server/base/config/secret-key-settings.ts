import { absolutePath, oneOf, type Settings, text, url } from './setting.ts'

/** Keys that encrypt stored secrets. */
export interface SecretKeyConfig {
  /** Source of the keys that encrypt stored secrets. */
  secretKeys: 'file' | 'vault'
  vaultAddress: string | undefined
  vaultMount: string
  vaultKey: string
  /** `{role}` in the path is replaced by `api`, `worker` or `operator`. */
  vaultTokenFile: string | undefined
  vaultNamespace: string | undefined
  vaultCaFile: string | undefined
}

/** Programs that use the keys, each with a token of its own. */
export const keyRoles = ['api', 'worker', 'operator'] as const
export type KeyRole = (typeof keyRoles)[number]

export const tokenFileOf = (vaultTokenFile: string, role: KeyRole): string =>
  vaultTokenFile.replaceAll('{role}', role)

export const secretKeySettings: Settings<SecretKeyConfig> = {
  secretKeys: {
    env: 'SANDBOX_SECRET_KEYS',
    description:
      'keys that stored secrets are encrypted under: file (in the data folder) or vault (transit engine); after a change, sandbox operator keys rotate secrets',
    fallback: () => 'file',
    ...oneOf('file', 'vault'),
  },
  vaultAddress: {
    env: 'SANDBOX_VAULT_ADDRESS',
    description: 'address of HashiCorp Vault 1.14 or later, or of OpenBao: https://vault.example.org:8200',
    fallback: () => undefined,
    ...url,
  },
  vaultMount: {
    env: 'SANDBOX_VAULT_MOUNT',
    description: 'where its transit engine is mounted',
    fallback: () => 'transit',
    ...text(/^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/, 'a path of letters, digits, _ and -'),
  },
  vaultKey: {
    env: 'SANDBOX_VAULT_KEY',
    description: 'name of its key, of type aes256-gcm96',
    fallback: () => 'sandbox-jobs',
    ...text(/^[A-Za-z0-9_.-]{1,128}$/, 'the name of a key'),
  },
  vaultTokenFile: {
    env: 'SANDBOX_VAULT_TOKEN_FILE',
    description:
      'file with a token of Vault; {role} in the path is api (which encrypts), worker (which decrypts) or operator (which rotates)',
    fallback: () => undefined,
    ...absolutePath,
  },
  vaultNamespace: {
    env: 'SANDBOX_VAULT_NAMESPACE',
    description: 'namespace of Vault',
    fallback: () => undefined,
    ...text(/^[A-Za-z0-9_./-]{1,256}$/, 'a namespace'),
  },
  vaultCaFile: {
    env: 'SANDBOX_VAULT_CA_FILE',
    description: 'PEM file of the certificate authority of Vault',
    fallback: () => undefined,
    ...absolutePath,
  },
}
