import {
  issueKey,
  listKeys,
  revokeKeyHere,
} from '@sandbox-jobs/server/main/operator/keys/operator-gateway-keys.ts'
import { Command } from 'commander'
import { CliError } from '../../../failure.ts'
import { createReporter } from '../../../output/reporter.ts'
import { table } from '../../../output/table.ts'
import { withLocalService } from '../../../session/local-service.ts'

interface Options {
  json?: boolean
}

const nameMaxLength = 256

export const operatorGatewayKeyCommand = (): Command =>
  new Command('gateway-key')
    .description('keys with which a chat pipeline posts messages on behalf of the people of a company')
    .addCommand(issueCommand())
    .addCommand(listCommand())
    .addCommand(revokeCommand())

const issueCommand = (): Command =>
  new Command('issue')
    .description('make a key and print it this once; only standard output has the key')
    .argument('<company>', 'by name or id')
    .argument('<name>', 'what the key is for')
    .option('--json', 'one JSON document')
    .action((company: string, name: string, options: Options) => {
      if (name.length > nameMaxLength || name.trim() === '') {
        throw new CliError(`The name must have 1 to ${nameMaxLength} characters.`, {
          hint: 'An example: sandbox operator gateway-key issue "Example Company" line-bot',
          code: 'cli_gateway_key_name',
        })
      }
      const report = createReporter(options.json === true)
      return withLocalService(
        options,
        () => issueKey(company, name),
        (issued) => {
          if (issued === undefined) throw unknownCompany(company)
          if (issued === 'name_taken') {
            throw new CliError(`The company has a live key named ${JSON.stringify(name)}.`, {
              hint: 'Choose another name, or revoke that key first.',
              code: 'cli_gateway_key_name_taken',
            })
          }
          report.progress(`${issued.id}; this is shown once:`)
          return { text: `${issued.gateway_key}\n`, document: issued }
        },
      )
    })

const listCommand = (): Command =>
  new Command('list')
    .description('show the keys of a company')
    .argument('<company>', 'by name or id')
    .option('--json', 'one JSON document')
    .action((company: string, options: Options) =>
      withLocalService(
        options,
        () => listKeys(company),
        (keys) => {
          if (!keys) throw unknownCompany(company)
          const rows = keys.map((key) => [
            key.id,
            key.name,
            key.last_used_at ?? 'never',
            key.revoked_at ?? 'live',
          ])
          return { text: table(['ID', 'NAME', 'LAST USED', 'REVOKED'], rows), document: { items: keys } }
        },
      ),
    )

const revokeCommand = (): Command =>
  new Command('revoke')
    .description('end a key at once')
    .argument('<company>', 'by name or id')
    .argument('<key>', 'its id')
    .option('--json', 'one JSON document')
    .action((company: string, id: string, options: Options) =>
      withLocalService(
        options,
        () => revokeKeyHere(company, id),
        (key) => {
          if (key) return { text: `${key.id} is revoked.\n`, document: key }
          throw new CliError(`The company has no live key ${JSON.stringify(id)}.`, {
            hint: 'sandbox operator gateway-key list COMPANY shows its keys.',
            code: 'cli_gateway_key_unknown',
          })
        },
      ),
    )

const unknownCompany = (company: string): CliError =>
  new CliError(`There is no company ${JSON.stringify(company)}.`, {
    hint: 'Name it as in the file of sandbox admin apply.',
    code: 'cli_company_unknown',
  })
