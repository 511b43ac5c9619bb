import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { GatewayAuthority, newAuthorityKey } from '../../../kubernetes/gateway/authority.ts'
import { readOrMake } from '../../base/keys/key-files.ts'
import { gatewayKeyPath } from './gateway-key-path.ts'

/** Makes the key where there is none, unless the keys of this machine come from another one. */
export function openAuthority({
  dataDir,
  makeKeys,
}: {
  dataDir: string
  makeKeys: boolean
}): GatewayAuthority {
  const path = gatewayKeyPath(dataDir)
  if (!makeKeys) return new GatewayAuthority(readFileSync(path, 'utf8'))
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return new GatewayAuthority(readOrMake(path, newAuthorityKey))
}
