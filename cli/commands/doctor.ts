import { type Check, examine } from '@sandbox-jobs/server/main/doctor.ts'
import { Command } from 'commander'

/** Exits with 1 when something that the service needs on this machine is missing. */
export const doctorCommand = (): Command =>
  new Command('doctor')
    .description('say what this machine can do, and what to install')
    .option('--json', 'one JSON document instead of a table')
    .action(async (options: { json?: boolean }) => {
      const checks = await examine()
      process.stdout.write(options.json ? `${JSON.stringify({ checks }, null, 2)}\n` : table(checks))
      process.exitCode = checks.every((check) => check.ok || !check.needed) ? 0 : 1
    })

function table(checks: Check[]): string {
  const width = Math.max(...checks.map((check) => check.name.length))
  const lines = checks.map((check) => {
    const state = check.ok ? 'ok     ' : check.needed ? 'MISSING' : 'absent '
    const advice = check.ok ? '' : `\n${' '.repeat(width + 10)}→ ${check.advice}`
    return `${check.name.padEnd(width)}  ${state} ${check.found}${advice}`
  })
  const missing = checks.filter((check) => !check.ok && check.needed).length
  const verdict = missing === 0 ? 'This machine can run Sandbox Jobs.' : `${missing} needed here.`
  return `${lines.join('\n')}\n\n${verdict}\n`
}
