import type { Egress, EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import { type Command, Option } from 'commander'
import { allowListOf } from '../network/allow-list.ts'
import { escapeControls } from '../output/escape-controls.ts'
import type { ConnectionOptions } from '../session/connection.ts'
import { type Session, withSession } from '../session/session.ts'
import { serviceCommand } from './service-command.ts'

interface EgressOptions extends ConnectionOptions {
  allow?: string[]
  nothing?: boolean
  everything?: boolean
}

/** How the allow list of an environment or a task is read and changed. */
interface EgressOf {
  kind: 'environment' | 'task'
  find: (session: Session, wanted: string) => Promise<{ id: string; name: string }>
  read: (session: Session, id: string) => Promise<Egress>
  change: (session: Session, id: string, list: EgressAllowList | null) => Promise<Egress>
}

/** `egress NAME`: shows the network allow list, or changes it if an option is given. */
export const egressCommand = ({ kind, find, read, change }: EgressOf): Command =>
  serviceCommand('egress')
    .description(
      `show or set the addresses that runs of ${kind === 'task' ? 'a task' : 'an environment'} may reach`,
    )
    .argument(`<${kind}>`, 'its name or id')
    .option(
      '--allow <entry...>',
      'allow only these: a domain, *.domain for its subdomains, an address or a range',
    )
    .addOption(new Option('--nothing', 'allow nothing (an empty list)').conflicts(['allow', 'everything']))
    .addOption(new Option('--everything', 'allow every public address (no list)').conflicts(['allow']))
    .addHelpText('after', '\nA run reaches what the lists of its environment and its task both allow.')
    .action((wanted: string, options: EgressOptions) =>
      withSession(options, async (session) => {
        const { id, name } = await find(session, wanted)
        const list = listOf(options)
        const egress = await (list === undefined ? read(session, id) : change(session, id, list))
        session.report.result(textOf(escapeControls(name), egress), egress)
      }),
    )

/** Undefined if no option changes the list. */
function listOf({ allow, nothing, everything }: EgressOptions): EgressAllowList | null | undefined {
  if (everything) return null
  if (!allow && !nothing) return undefined
  return allowListOf(allow ?? [])
}

function textOf(name: string, { allow_list: list }: Egress): string {
  if (list === null) return `Runs of ${name} reach every public address.\n`
  const entries = [...list.domains, ...list.cidrs]
  if (entries.length === 0) return `Runs of ${name} reach nothing.\n`
  return `Runs of ${name} reach:\n${entries.map((entry) => `  ${entry}\n`).join('')}`
}
