import { parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { userPattern } from '../../../../reader/images/base-config.ts'
import { maxImageConfigBytes } from '../../../../reader/images/image-manifest.ts'
import type { ImageConfig } from '../../../db/tables/environments.ts'
import { BuildFailed } from '../../request/build-failed.ts'
import type { Step } from '../step.ts'
import type { Built } from './built.ts'
import type { BuilderEnded } from './run-builder.ts'

/** Reads and checks the image's configuration. */
export const readConfig: Step<BuilderEnded, Pick<Built, 'imageConfig'>> = {
  name: 'read_config',
  stage: 'customer_build',
  async run({ tools }, { sandboxId, exit }) {
    if (exit.files.config?.status !== 'present')
      throw new BuildFailed('context_invalid', 'image_config_malformed')
    const bytes = Buffer.concat(await (await tools.executor.file(sandboxId, 'config')).toArray())
    return { imageConfig: readImageConfig(bytes.subarray(0, maxImageConfigBytes)) }
  },
}

const maxEntries = 200
const maxEnvBytes = 64 * 1024
const envEntry = /^[A-Za-z_][A-Za-z0-9_]*=[^\0]*$/

/**
 * The part of an image's configuration that runs use. A hostile build wrote it: invalid environment entries are dropped,
 * and a user that is not a plain name or id is refused (as `context_invalid`, slug `image_user_invalid`, since
 * `identity_config` is for faults of the platform).
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
