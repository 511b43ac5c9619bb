import type { Check } from '@sandbox-jobs/server/main/doctor.ts'
import { Command } from 'commander'

/** Exits with 1 if this machine lacks something that the service needs. */
export const doctorCommand = (): Command =>
  new Command('doctor')
    .description('check what this machine can run, and what to install')
    .option('--json', 'print one JSON document instead of a table')
    .action(async (options: { json?: boolean }) => {
      const { runChecks } = await import('@sandbox-jobs/server/main/doctor.ts')
      const checks = await runChecks()
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
