import { Command } from 'commander'
import { exitCodes } from '../../../failure.ts'
import { escapeControls } from '../../../output/escape-controls.ts'
import { createReporter } from '../../../output/reporter.ts'

interface Options {
  file?: string
  json?: boolean
}

/** Exits with 2, as the start would, if there is a problem; a warning changes no exit code. */
export const operatorCheckSettingsCommand = (): Command =>
  new Command('check-settings')
    .description('check the settings and the files that they name, before a restart')
    .option('--file <file>', "read the settings from a file of NAME=value lines, as a unit's EnvironmentFile")
    .option('--json', 'print one JSON document')
    .action(async ({ file, json }: Options) => {
      const { checkSettings } = await import('@sandbox-jobs/server/main/settings/check-settings.ts')
      const findings = await checkSettings(file)
      const of = (severity: string) =>
        findings.filter((finding) => finding.severity === severity).map(({ message }) => message)
      const [problems, warnings] = [of('problem'), of('warning')]
      const lines = [
        ...problems.map((message) => `problem: ${message}`),
        ...warnings.map((message) => `warning: ${message}`),
        problems.length === 0 ? 'The settings can be used.' : `${problems.length} to correct before a start.`,
      ]
      createReporter(json === true).result(lines.map((line) => `${escapeControls(line)}\n`).join(''), {
        problems,
        warnings,
      })
      if (problems.length > 0) process.exitCode = exitCodes.usage
    })
