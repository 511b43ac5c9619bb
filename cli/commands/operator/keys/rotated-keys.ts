import {
  readFormerRootKey,
  retireRootKey,
  retireSecretPepper,
  rotateRootKey,
  rotateSecretPepper,
} from '@sandbox-jobs/server/main/operator/keys/operator-keys.ts'
import { Command } from 'commander'
import { withLocalService } from '../../../session/local-service.ts'
import { formerLive } from './former-live.ts'

/* The keys that have a present and a former file: the root key, and the pepper of requests that write secrets. */

const asJson = ['--json', 'print one JSON document'] as const

interface Options {
  json?: boolean
  retire?: boolean
}

export const rotateRootCommand = (): Command =>
  new Command('root')
    .description('make a new root key; links, uploads and MCP clients of the former one stay valid')
    .option(...asJson)
    .action((options: Options) =>
      withLocalService(options, rotateRootKey, (outcome) => {
        if (outcome === 'former_live')
          throw formerLive({
            hint: 'sandbox operator keys root --retire ends it.',
            code: 'cli_root_key_live',
          })
        return {
          text: 'Permanent links, uploads and MCP clients get a new key from now on.\n',
          document: { rotated: true },
        }
      }),
    )

export const rootCommand = (): Command =>
  new Command('root')
    .description('show how many permanent links are under the former root key')
    .option('--retire', 'end the former key: these links end, and MCP clients register and log in again')
    .option(...asJson)
    .action((options: Options) =>
      options.retire
        ? withLocalService(options, retireRootKey, showRetired)
        : withLocalService(options, readFormerRootKey, (former) => ({
            text: former
              ? `${former.links} permanent links are under the former root key.\n`
              : 'There is no former key.\n',
            document: { former: former ?? null },
          })),
    )

export const rotateSecretPepperCommand = (): Command =>
  new Command('secret-pepper')
    .description('compare requests that write secrets under a new pepper, and repeated ones under the former')
    .option(...asJson)
    .action((options: Options) =>
      withLocalService(options, rotateSecretPepper, (outcome) => {
        if (outcome === 'former_live')
          throw formerLive({
            hint: 'sandbox operator keys secret-pepper --retire ends it.',
            code: 'cli_secret_pepper_live',
          })
        return {
          text: 'Requests that write secrets are stored under a new pepper from now on.\n',
          document: { rotated: true },
        }
      }),
    )

export const secretPepperCommand = (): Command =>
  new Command('secret-pepper')
    .description('end the former pepper of requests that write secrets')
    .requiredOption(
      '--retire',
      'requests from before the rotation that are repeated later with the same key are refused',
    )
    .option(...asJson)
    .action((options: Options) => withLocalService(options, retireSecretPepper, showRetired))

const showRetired = (retired: boolean) => ({
  text: retired ? 'Retired the former key.\n' : 'There is no former key.\n',
  document: { retired },
})
