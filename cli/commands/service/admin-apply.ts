import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { type ApplyResult, applyCompanies } from '@sandbox-jobs/server/main/operator/apply-companies.ts'
import { Command } from 'commander'

interface Options {
  dryRun?: boolean
  json?: boolean
}

const exitCodes = { service: 1, settings: 2, file: 2 } as const

/**
 * Exits with 2 if the file or the settings are wrong, with 1 if the service cannot be reached; nothing changes then.
 */
export const adminApplyCommand = (): Command =>
  new Command('apply')
    .description('change companies, departments, rooms, users and keys to match a YAML file')
    .argument('<file>', 'the company file, - for standard input')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--json', 'print one JSON document instead of text')
    .addHelpText(
      'after',
      '\nRun it on the machine of the service. New passwords and keys are printed once.' +
        '\nexamples/company.yaml shows the format.',
    )
    .action(async (file: string, options: Options) => {
      const text = await readText(file)
      if (text === undefined) return
      const outcome = await applyCompanies(text, { dryRun: options.dryRun ?? false })
      if (!outcome.ok) {
        const named =
          outcome.cause === 'file' ? outcome.problems.map((line) => `${file}: ${line}`) : outcome.problems
        return fail(exitCodes[outcome.cause], named)
      }
      process.stdout.write(options.json ? json(outcome.result) : render(outcome.result))
    })

async function readText(file: string): Promise<string | undefined> {
  try {
    return file === '-' ? await readAll(process.stdin) : await readFile(file, 'utf8')
  } catch (error) {
    fail(exitCodes.file, [`${file} cannot be read: ${error instanceof Error ? error.message : error}`])
    return undefined
  }
}

function fail(exitCode: number, problems: string[]): void {
  process.stderr.write(`${problems.join('\n')}\nNothing was changed.\n`)
  process.exitCode = exitCode
}

const json = ({ dryRun, changes, passwords, apiKeys }: ApplyResult): string =>
  `${JSON.stringify({ dry_run: dryRun, changes, passwords, api_keys: apiKeys }, null, 2)}\n`

function render({ dryRun, changes, passwords, apiKeys }: ApplyResult): string {
  if (changes.length === 0) return 'Nothing to change.\n'
  const lines: string[] = []
  let company: string | undefined
  for (const change of changes) {
    if (change.company !== company) lines.push(change.company)
    company = change.company
    const { op, kind, name, detail } = change
    lines.push(`  ${op} ${kind.replace('_', ' ')} ${name}${detail === '' ? '' : ` (${detail})`}`)
  }
  const secrets = [
    ...passwords.map(({ login, password }) => `  password of ${login}  ${password}`),
    ...apiKeys.map(({ name, api_key }) => `  API key ${name}  ${api_key}`),
  ]
  if (secrets.length > 0) lines.push('', 'Shown this once:', ...secrets)
  const count = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`
  return `${lines.join('\n')}\n\n${count} ${dryRun ? 'would be made.' : 'made.'}\n`
}
