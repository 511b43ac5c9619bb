import {
  readSigningKeys,
  retireSigningKey,
  rotateSigningKey,
} from '@sandbox-jobs/server/main/operator-signing-keys.ts'
import { Command } from 'commander'
import { CliError, exitCodes } from '../failure.ts'
import { table } from '../output/table.ts'
import { withLocalService } from '../session/local-service.ts'

interface Options {
  json?: boolean
}

const asJson = ['--json', 'one JSON document'] as const

export const operatorSigningKeyCommand = (): Command =>
  new Command('signing-key')
    .description('the keys that images are signed with')
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(retireCommand())

const listCommand = (): Command =>
  new Command('list')
    .description('list the keys whose signatures count, oldest first')
    .option(...asJson)
    .action((options: Options) =>
      withLocalService(options, readSigningKeys, (keys) => ({
        text: table(
          ['KEY', 'MADE', 'SIGNS'],
          keys.map(({ id, madeAt, signs }) => [id, madeAt.toISOString(), signs ? 'yes' : 'no']),
        ),
        document: { items: keys.map(({ id, madeAt, signs }) => ({ key_id: id, made_at: madeAt, signs })) },
      })),
    )

const rotateCommand = (): Command =>
  new Command('rotate')
    .description('make the key that images are signed with from now on; older ones go on to verify')
    .option(...asJson)
    .action((options: Options) =>
      withLocalService(options, rotateSigningKey, (id) => ({
        text: `Images are signed with ${id} from now on. Give its public key to whoever verifies: sandbox signing-keys\n`,
        document: { key_id: id },
      })),
    )

const refusals = {
  unknown: ['There is no such key.', 'sandbox operator signing-key list shows the keys.'],
  in_use: ['Images are signed with that key.', 'Rotate first.'],
} as const

const retireCommand = (): Command =>
  new Command('retire')
    .description('stop to trust an old key: versions that it signed run no more and have to be built anew')
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
          return { text: `${id} is retired. Workers know it within a minute.\n`, document: { key_id: id } }
        },
      ),
    )
