import type { Check } from '@sandbox-jobs/server/main/doctor.ts'
import { Command, Option } from 'commander'
import { wholeNumberUpTo } from '../../args/whole-number.ts'
import { showRefreshed } from '../../output/refreshed.ts'

/** Exits with 1 if at the last look this machine lacks something that the service needs. */
export const doctorCommand = (): Command =>
  new Command('doctor')
    .description('check what this machine can run, and what to install')
    .option('--json', 'print one JSON document instead of a table')
    .addOption(
      new Option('--watch [seconds]', 'check again and again, until Ctrl-C')
        .argParser(wholeNumberUpTo(3600))
        .preset('10'),
    )
    .action(async ({ json, watch }: { json?: boolean; watch?: number }) => {
      const { runChecks } = await import('@sandbox-jobs/server/main/doctor.ts')
      const look = async () => {
        const checks = await runChecks()
        process.exitCode = checks.every((check) => check.ok || !check.needed) ? 0 : 1
        return json ? `${JSON.stringify({ checks }, null, watch ? 0 : 2)}\n` : table(checks)
      }
      if (watch === undefined) process.stdout.write(await look())
      else await showRefreshed(watch * 1000, look)
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
