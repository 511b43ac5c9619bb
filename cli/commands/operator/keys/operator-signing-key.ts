import {
  readSigningKeys,
  retireSigningKey,
  rotateSigningKey,
} from '@sandbox-jobs/server/main/operator/keys/operator-signing-keys.ts'
import { Command } from 'commander'
import { CliError, exitCodes } from '../../../failure.ts'
import { table } from '../../../output/table.ts'
import { withLocalService } from '../../../session/local-service.ts'

interface Options {
  json?: boolean
}

const asJson = ['--json', 'print one JSON document'] as const

export const operatorSigningKeyCommand = (): Command =>
  new Command('signing-key')
    .description('manage the keys that sign images')
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(retireCommand())

const listCommand = (): Command =>
  new Command('list')
    .description('list the trusted signing keys, oldest first')
    .option(...asJson)
    .action((options: Options) =>
      withLocalService(options, readSigningKeys, (keys) => ({
        text: table(
          ['KEY', 'CREATED', 'SIGNS'],
          keys.map(({ id, madeAt, signs }) => [id, madeAt.toISOString(), signs ? 'yes' : 'no']),
        ),
        document: { items: keys.map(({ id, madeAt, signs }) => ({ key_id: id, made_at: madeAt, signs })) },
      })),
    )

const rotateCommand = (): Command =>
  new Command('rotate')
    .description('create the next signing key; older keys still verify')
    .option(...asJson)
    .action((options: Options) =>
      withLocalService(options, rotateSigningKey, (id) => ({
        text: `${id} signs images from now on. Give its public key to everyone who verifies images: sandbox signing-keys\n`,
        document: { key_id: id },
      })),
    )

const refusals = {
  unknown: ['No key has that id.', 'sandbox operator signing-key list shows the keys.'],
  in_use: ['That key signs images now.', 'Rotate the keys first.'],
} as const

const retireCommand = (): Command =>
  new Command('retire')
    .description('stop trusting an old key; versions that it signed cannot run until they are built again')
    .argument('<key>', 'its id')
    .option(...asJson)
    .action((id: string, options: Options) =>
      withLocalService(
        options,
        () => retireSigningKey(id),
        (outcome) => {
          if (outcome !== 'retired') {
            const [message, hint] = refusals[outcome]
            throw new CliError(message, { hint, code: `cli_key_${outcome}`, exitCode: exitCodes.failed })
          }
          return { text: `Retired ${id}. Workers apply this within a minute.\n`, document: { key_id: id } }
        },
      ),
    )
