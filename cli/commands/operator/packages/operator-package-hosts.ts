import {
  addPackageHost,
  detectPackageHosts,
  readListedHosts,
  removePackageHost,
} from '@sandbox-jobs/server/main/operator/images/operator-package-hosts.ts'
import { Command } from 'commander'
import { withOperator } from '../../../session/operator.ts'

interface Options {
  json?: boolean
}

const subcommand = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nNeeds root, on the machine of the service.')

const detect = () =>
  subcommand('detect', 'list the hosts that the package clients of this machine use').action(
    (options: Options) =>
      withOperator(options, undefined, detectPackageHosts, ({ clients, ...hosts }) => ({
        text: [
          ...hosts.added.map((host) => `Added ${host}.\n`),
          ...hosts.private.map(
            (host) =>
              `Not added: ${host} is in a private network. Declare it with sandbox operator mirror add.\n`,
          ),
          ...hosts.unusable.map(
            (host) =>
              `Not added: ${host} is at a reserved address or on this machine, where no mirror may be either.\n`,
          ),
          ...(hosts.added.length === 0 ? ['No host was added.\n'] : []),
        ].join(''),
        document: { clients, ...hosts },
      })),
  )

const list = () =>
  subcommand('list', 'list the package hosts that build steps reach').action((options: Options) =>
    withOperator(options, undefined, readListedHosts, ({ file, hosts }) => ({
      text: hosts.map((host) => `${host}\n`).join(''),
      document: { file, items: hosts },
    })),
  )

const add = () =>
  subcommand('add', 'add a package host')
    .argument('<host>', 'packages.example.org, or *.example.org for all hosts below it')
    .action((host: string, options: Options) =>
      withOperator(
        options,
        undefined,
        () => addPackageHost(host),
        ({ file, hosts }) => ({
          text: `Build steps reach ${host} (${hosts.length} listed).\n`,
          document: { file, items: hosts },
        }),
      ),
    )

const remove = () =>
  subcommand('remove', 'withdraw a package host')
    .argument('<host>', 'as listed')
    .action((host: string, options: Options) =>
      withOperator(
        options,
        undefined,
        () => removePackageHost(host),
        (removed) => ({
          text: removed ? `Removed ${host}.\n` : `${host} is not listed.\n`,
          document: { host, removed },
        }),
      ),
    )

export const operatorPackageHostsCommand = (): Command =>
  new Command('package-hosts')
    .description('public hosts that build steps reach for packages')
    .addCommand(detect())
    .addCommand(list())
    .addCommand(add())
    .addCommand(remove())
