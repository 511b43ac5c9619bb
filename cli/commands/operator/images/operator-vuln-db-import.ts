import { importVulnerabilities } from '@sandbox-jobs/server/main/operator/operator-findings.ts'
import { Command } from 'commander'

const exitCodes = { service: 1, settings: 2, file: 2 } as const

/**
 * Exits with 2 if the file or the settings are wrong, with 1 if the service cannot be reached; nothing changes then.
 */
export const operatorVulnDbImportCommand = (): Command =>
  new Command('import')
    .description('import a vulnerability database in OSV format, to compare scanned packages with')
    .argument('<file>', 'zip file as published by osv.dev, or one JSON record per line')
    .option('--json', 'print one JSON document instead of text')
    .addHelpText(
      'after',
      '\nRun it on the machine of the service. The import replaces the records of the ecosystems in the file.' +
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
