import {
  readFormerPepper,
  retirePepper,
  rotatePepper,
  rotateTokenKey,
} from '@sandbox-jobs/server/main/operator-keys.ts'
import { Command } from 'commander'
import { CliError, exitCodes } from '../failure.ts'
import { withLocalService } from '../session/local-service.ts'

interface Options {
  json?: boolean
}

const asJson = ['--json', 'one JSON document'] as const

export const operatorKeysCommand = (): Command =>
  new Command('keys')
    .description('the key of login tokens, and the pepper that API keys are stored under')
    .addCommand(rotateCommand())
    .addCommand(pepperCommand())

const rotateCommand = (): Command =>
  new Command('rotate')
    .description('make the next key; what was made with the last one stays good meanwhile')
    .addCommand(rotateTokensCommand())
    .addCommand(rotatePepperCommand())

const rotateTokensCommand = (): Command =>
  new Command('tokens')
    .description('login tokens are signed with a new key; those of the last one are good until they expire')
    .option('--leaked', 'the last key is known to others: its tokens end now, and everybody logs in again')
    .option(...asJson)
    .action((options: Options & { leaked?: boolean }) =>
      withLocalService(
        options,
        () => rotateTokenKey(options.leaked === true),
        (id) => ({ text: `Login tokens are signed with ${id} from now on.\n`, document: { key_id: id } }),
      ),
    )

const rotatePepperCommand = (): Command =>
  new Command('pepper')
    .description('API keys are stored under a new pepper, each when it is next used')
    .option(...asJson)
    .action((options: Options) =>
      withLocalService(options, rotatePepper, (outcome) => {
        if (outcome === 'former_live') {
          throw new CliError('The pepper before the last rotation is live.', {
            hint: 'sandbox operator keys pepper shows what is stored under it, and --retire ends it.',
            code: 'cli_pepper_live',
            exitCode: exitCodes.failed,
          })
        }
        return {
          text: `API keys are stored under pepper ${outcome} from now on, each when it is next used.\n`,
          document: { pepper: outcome },
        }
      }),
    )

const pepperCommand = (): Command =>
  new Command('pepper')
    .description('show how many API keys are not yet stored under the new pepper')
    .option('--retire', 'end the former pepper: API keys that were not used since the rotation are void')
    .option(...asJson)
    .action((options: Options & { retire?: boolean }) =>
      options.retire
        ? withLocalService(options, retirePepper, (retired) => ({
            text: retired ? 'The former pepper is retired.\n' : 'There is no former pepper.\n',
            document: { retired },
          }))
        : withLocalService(options, readFormerPepper, (former) => ({
            text: former
              ? `${former.keys} API keys are still stored under pepper ${former.number}.\n`
              : 'All API keys are stored under one pepper.\n',
            document: { former: former ?? null },
          })),
    )
