import { importVulnerabilities } from '@sandbox-jobs/server/main/import-vulnerabilities.ts'
import { Command } from 'commander'

const exitCodes = { service: 1, settings: 2, file: 2 } as const

/** Exits with 2 when file or settings are wrong, with 1 when the service cannot be reached; then nothing changed. */
export const operatorVulnDbImportCommand = (): Command =>
  new Command('import')
    .description('compare scanned packages with the vulnerabilities of a file in the format of OSV')
    .argument('<file>', 'a zip as osv.dev publishes them, or one JSON record a line')
    .option('--json', 'one JSON document instead of text')
    .addHelpText(
      'after',
      '\nTo be run on the machine of the service. What is known of the ecosystems in the file is replaced.' +
        '\n\nExample:\n  sandbox operator vuln-db import Debian/all.zip',
    )
    .action(async (file: string, options: { json?: boolean }) => {
      const outcome = await importVulnerabilities(file)
      if (!outcome.ok) {
        process.stderr.write(`${outcome.problems.join('\n')}\nNothing was changed.\n`)
        process.exitCode = exitCodes[outcome.cause]
        return
      }
      const { revision, ecosystems, vulnerabilities } = outcome.value
      const text = `${vulnerabilities} vulnerabilities of packages in ${ecosystems.join(', ')}; revision ${revision}.\n`
      process.stdout.write(options.json ? `${JSON.stringify(outcome.value)}\n` : text)
    })
