import { parseStrictJson } from '../base/strict-json.ts'
import type { ImageConfig } from '../db/tables/environments.ts'
import { BuildFailed } from './build-failed.ts'
import { maxImageConfigBytes } from './build-sandbox.ts'
import { userPattern } from './image-user.ts'

const maxEntries = 200
const maxEnvBytes = 64 * 1024
const envEntry = /^[A-Za-z_][A-Za-z0-9_]*=[^\0]*$/

/**
 * What runs take from an image's configuration. The configuration is the word of a hostile build: entries that no
 * environment can hold are left out, a user that is not plainly a user is refused (`identity_config` is ours, so the
 * code is `context_invalid`, the slug `image_user_invalid`).
 */
export function readImageConfig(bytes: Buffer): ImageConfig {
  const config = property(parse(bytes), 'config')
  const env = property(config, 'Env')
  const entries = Array.isArray(env)
    ? env.filter((entry) => typeof entry === 'string' && envEntry.test(entry))
    : []
  if (entries.length > maxEntries || Buffer.byteLength(entries.join('\0')) > maxEnvBytes) {
    throw new BuildFailed('context_invalid', 'image_env_too_large')
  }
  const user = property(config, 'User') ?? ''
  if (typeof user !== 'string' || !userPattern.test(user))
    throw new BuildFailed('context_invalid', 'image_user_invalid')
  return { env: entries, user }
}

function parse(bytes: Buffer): unknown {
  try {
    return parseStrictJson(bytes, { maxBytes: maxImageConfigBytes, maxDepth: 20, maxNodes: 20_000 })
  } catch {
    throw new BuildFailed('context_invalid', 'image_config_malformed')
  }
}

const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
