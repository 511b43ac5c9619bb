import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../../base/config/config.ts'
import { keyRoles, tokenFileOf } from '../../../base/config/secret-key-settings.ts'
import { passwordFiles } from '../../../postgres/running.ts'

/** A shorter one would hide parts of usual words. */
const secretMinLength = 6
const fileMaxBytes = 64 * 1024

/** The secrets that this machine has in settings, in the files that they name and in the data folder. */
export function knownSecrets(config: Config): string[] {
  const { databaseUrl, apiDatabaseUrl, workerDatabaseUrl, operatorDatabaseUrl } = config
  const addresses = [databaseUrl, apiDatabaseUrl, workerDatabaseUrl, operatorDatabaseUrl]
  const passwords = addresses.flatMap((address) => passwordsOf(address))
  const { mailLoginFile, registryLoginFile, oidcClientSecretFile } = config
  const named = [mailLoginFile, registryLoginFile, oidcClientSecretFile].filter((path) => path !== undefined)
  const { vaultTokenFile } = config
  const tokens = vaultTokenFile ? keyRoles.map((role) => tokenFileOf(vaultTokenFile, role)) : []
  const postgres = [...Object.values(passwordFiles), 'superuser-password']
  const files = [
    ...[...named, ...tokens],
    ...postgres.map((name) => join(config.dataDir, 'postgres', name)),
    ...filesBelow(join(config.dataDir, 'keys')),
  ]
  const texts = files.flatMap((path) => linesOf(path).flatMap((line) => [line, ...line.split(':')]))
  const found = [...passwords, ...texts].filter((text) => text.length >= secretMinLength)
  return [...new Set(found)].toSorted((a, b) => b.length - a.length)
}

function passwordsOf(address: string | undefined): string[] {
  if (address === undefined || !URL.canParse(address)) return []
  const { password, searchParams } = new URL(address)
  return [password, decodeURIComponent(password), searchParams.get('password') ?? '']
}

/** Links are not followed. */
function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}

/** Lines of public keys and the frame of a PEM file are no secrets, and hiding them harms nothing. None of what cannot be read. */
function linesOf(path: string): string[] {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (!fstatSync(file).isFile()) return []
    const bytes = Buffer.alloc(fileMaxBytes)
    const text = bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0))
    return text.split('\n').map((line) => line.trim())
  } catch {
    return []
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
