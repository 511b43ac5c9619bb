import { Command, Option } from 'commander'

/** A command that speaks to the service: it has the options that say where it is and who calls. */
export const serviceCommand = (name: string): Command =>
  new Command(name)
    .addOption(new Option('--url <url>', 'address of the service; SANDBOX_URL, then the latest login'))
    .addOption(
      new Option('--token <token>', 'login token; better in SANDBOX_TOKEN, where no one else sees it'),
    )
    .addOption(new Option('--api-key <key>', 'API key; better in SANDBOX_API_KEY, where no one else sees it'))
    .option('--json', 'one JSON document, or one line per event while watching')
