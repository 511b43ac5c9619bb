import {
  makeKeys,
  readFormerPepper,
  retirePepper,
  retireTransitKey,
  rotateLinkKey,
  rotatePepper,
  rotateTokenKey,
  rotateTransitKey,
} from '@sandbox-jobs/server/main/operator/keys/operator-keys.ts'
import {
  retireSecretKeys,
  rotateSecrets,
} from '@sandbox-jobs/server/main/operator/keys/operator-secret-keys.ts'
import { Command } from 'commander'
import { CliError, exitCodes } from '../../../failure.ts'
import { createReporter } from '../../../output/reporter.ts'
import { withLocalService } from '../../../session/local-service.ts'
import { formerLive } from './former-live.ts'
import {
  rootCommand,
  rotateRootCommand,
  rotateSecretPepperCommand,
  secretPepperCommand,
} from './rotated-keys.ts'

interface Options {
  json?: boolean
}

const asJson = ['--json', 'print one JSON document'] as const

export const operatorKeysCommand = (): Command =>
  new Command('keys')
    .description(
      'manage the keys of login tokens, links and secrets, and the peppers of stored API keys and of requests',
    )
    .addCommand(makeCommand())
    .addCommand(rotateCommand())
    .addCommand(pepperCommand())
    .addCommand(transitCommand())
    .addCommand(secretKeysCommand())
    .addCommand(rootCommand())
    .addCommand(secretPepperCommand())

const makeCommand = (): Command =>
  new Command('make')
    .description('make all keys now, before they are copied to another machine of the deployment')
    .option(...asJson)
    .action((options: Options) =>
      withLocalService(options, makeKeys, () => ({
        text: 'All keys are there.\n',
        document: { made: true },
      })),
    )

const rotateCommand = (): Command =>
  new Command('rotate')
    .description('create the next key; tokens and API keys of the former one stay valid')
    .addCommand(rotateTokensCommand())
    .addCommand(rotateLinksCommand())
    .addCommand(rotatePepperCommand())
    .addCommand(rotateTransitCommand())
    .addCommand(rotateSecretsCommand())
    .addCommand(rotateRootCommand())
    .addCommand(rotateSecretPepperCommand())

const rotateTokensCommand = (): Command =>
  new Command('tokens')
    .description('sign login tokens with a new key; existing tokens stay valid until they expire')
    .option('--leaked', 'the former key leaked: end its tokens now, so that everybody must log in again')
    .option(...asJson)
    .action((options: Options & { leaked?: boolean }) =>
      withLocalService(
        options,
        () => rotateTokenKey(options.leaked === true),
        (id) => ({ text: `${id} signs login tokens from now on.\n`, document: { key_id: id } }),
      ),
    )

const rotateLinksCommand = (): Command =>
  new Command('links')
    .description('sign expiring links with a new key; existing links stay valid until they expire')
    .option('--leaked', 'the former key leaked: end all of its links now')
    .option(...asJson)
    .action((options: Options & { leaked?: boolean }) =>
      withLocalService(
        options,
        () => rotateLinkKey(options.leaked === true),
        (id) => ({ text: `Expiring links are signed with ${id} from now on.\n`, document: { key_id: id } }),
      ),
    )

const rotatePepperCommand = (): Command =>
  new Command('pepper')
    .description('store API keys under a new pepper, each key at its next use')
    .option(...asJson)
    .action((options: Options) =>
      withLocalService(options, rotatePepper, (outcome) => {
        if (outcome === 'former_live') {
          throw formerLive({
            what: 'pepper',
            hint: 'sandbox operator keys pepper shows what is stored under it, and --retire ends it.',
            code: 'cli_pepper_live',
          })
        }
        return {
          text: `API keys are stored under pepper ${outcome} from now on, each at its next use.\n`,
          document: { pepper: outcome },
        }
      }),
    )

const pepperCommand = (): Command =>
  new Command('pepper')
    .description('show how many API keys are not yet stored under the new pepper')
    .option('--retire', 'retire the former pepper; API keys not used since the rotation become invalid')
    .option(...asJson)
    .action((options: Options & { retire?: boolean }) =>
      options.retire
        ? withLocalService(options, retirePepper, (retired) => ({
            text: retired ? 'Retired the former pepper.\n' : 'There is no former pepper.\n',
            document: { retired },
          }))
        : withLocalService(options, readFormerPepper, (former) => ({
            text: former
              ? `${former.keys} API keys are still stored under pepper ${former.number}.\n`
              : 'All API keys are stored under one pepper.\n',
            document: { former: former ?? null },
          })),
    )

const rotateTransitCommand = (): Command =>
  new Command('transit')
    .description(
      'give clients a new key to encrypt values with; values under the former one can still be read',
    )
    .option(...asJson)
    .action((options: Options) =>
      withLocalService(options, rotateTransitKey, (outcome) => {
        if (outcome === 'former_live') {
          throw formerLive({
            hint: 'sandbox operator keys transit --retire ends it.',
            code: 'cli_transit_key_live',
          })
        }
        return { text: 'Clients encrypt values with a new key from now on.\n', document: { rotated: true } }
      }),
    )

const transitCommand = (): Command =>
  new Command('transit')
    .description('end the former key that clients encrypted values with')
    .requiredOption(
      '--retire',
      'values that clients encrypted before the rotation and send later are refused',
    )
    .option(...asJson)
    .action((options: Options) =>
      withLocalService(options, retireTransitKey, (retired) => ({
        text: retired ? 'Retired the former key.\n' : 'There is no former key.\n',
        document: { retired },
      })),
    )

const rotateSecretsCommand = (): Command =>
  new Command('secrets')
    .description(
      'secrets are encrypted under a new key, those that are stored too; may be broken off and called again',
    )
    .option(...asJson)
    .action((options: Options) => {
      const report = createReporter(options.json === true)
      const show = ({ done, damaged, total }: { done: number; damaged: number; total: number }) =>
        report.progress(`${done + damaged} of ${total} secrets`)
      return withLocalService(
        options,
        () => rotateSecrets(show),
        (outcome) => {
          if (outcome === 'keys_unavailable') {
            throw new CliError('The keys of secrets cannot be used.', {
              hint: 'Look at keys/secrets in the data folder, or at Vault; then call it again.',
              code: 'cli_secret_keys',
              exitCode: exitCodes.failed,
            })
          }
          const { keyId, done, damaged } = outcome
          if (damaged > 0) process.exitCode = exitCodes.failed
          const lost = damaged > 0 ? ` ${damaged} open with no key, and stay as they are.` : ''
          return {
            text: `Secrets are encrypted under ${keyId} from now on; ${done} that were stored are too.${lost}\n`,
            document: { key_id: keyId, rewrapped: done, damaged },
          }
        },
      )
    })

const secretKeysCommand = (): Command =>
  new Command('secrets')
    .description('remove the former keys that no stored secret is under any more')
    .requiredOption(
      '--retire',
      'backups that were made before the last rotation need them: keep those backups whole',
    )
    .option(...asJson)
    .action((options: Options) =>
      withLocalService(options, retireSecretKeys, (outcome) => {
        if (outcome === 'too_soon') {
          throw new CliError('The last rotation was less than a minute ago.', {
            hint: 'Call it again later.',
            code: 'cli_too_soon',
            exitCode: exitCodes.failed,
          })
        }
        const text =
          outcome.length > 0 ? `Retired: ${outcome.join(', ')}.\n` : 'No former key can be retired.\n'
        return { text, document: { retired: outcome } }
      }),
    )
