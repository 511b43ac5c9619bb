import type { Config } from '../../base/config/config.ts'
import { type KeyRole, tokenFileOf } from '../../base/config/secret-key-settings.ts'
import { LocalKeys, secretKeysFolder } from './local-keys.ts'
import { VaultKeys } from './vault-keys.ts'
import { KeysUnavailable, keyRing, type WrappingKeys } from './wrapping-keys.ts'

export type KeySetting =
  | 'secretKeys'
  | 'vaultAddress'
  | 'vaultMount'
  | 'vaultKey'
  | 'vaultTokenFile'
  | 'vaultNamespace'
  | 'vaultCaFile'

type KeySettings = Pick<Config, 'dataDir'> & Partial<Pick<Config, KeySetting>>

/** The key-encryption keys that the settings name, as that part of the service may use them; the others unwrap still. */
export function configuredKeys(config: KeySettings, role: KeyRole): WrappingKeys {
  const local = new LocalKeys(secretKeysFolder(config.dataDir))
  const vault = vaultOf(config, role)
  if (config.secretKeys !== 'vault') return keyRing(local, vault ? [vault] : [])
  return keyRing(vault ?? unconfigured, [local])
}

function vaultOf(config: KeySettings, role: KeyRole): VaultKeys | undefined {
  const { vaultAddress: address, vaultTokenFile: tokenFile } = config
  if (!address || !tokenFile) return undefined
  return new VaultKeys({
    address,
    mount: config.vaultMount ?? 'transit',
    key: config.vaultKey ?? 'sandbox-jobs',
    tokenFile: tokenFileOf(tokenFile, role),
    namespace: config.vaultNamespace,
    caFile: config.vaultCaFile,
  })
}

const missing = () =>
  Promise.reject(new KeysUnavailable('SANDBOX_VAULT_ADDRESS or its token file is not set'))

const unconfigured: WrappingKeys = {
  prefix: 'vault',
  presentId: missing,
  wrap: missing,
  unwrap: missing,
  rotate: missing,
}
