import { Command, Option } from 'commander'

/** A command that calls the service: it has the options for its address and the credentials. */
export const serviceCommand = (name: string): Command =>
  new Command(name)
    .addOption(
      new Option('--url <url>', 'address of the service (default: SANDBOX_URL, then the latest login)'),
    )
    .addOption(new Option('--token <token>', 'login token; SANDBOX_TOKEN keeps it out of the process list'))
    .addOption(new Option('--api-key <key>', 'API key; SANDBOX_API_KEY keeps it out of the process list'))
    .option('--json', 'print one JSON document, or one line per event while watching')
