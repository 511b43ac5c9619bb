import type { Refusal, Refusals } from '../../../agent/port/network-refusals.ts'
import type { MirrorUse } from '../../../agent/port/package-mirror.ts'

/** The end of a build's log: what its steps were refused. Names are escaped already; empty where nothing was refused. */
export function refusalText(refused: Refusals | undefined): string {
  if (!refused || refused.entries.length === 0) return ''
  const lines = refused.entries.map(
    (entry) => `  ${subjectOf(entry)} (${entry.reason}), ${entry.count} times\n`,
  )
  const more = refused.more > 0 ? `  and ${refused.more} more attempts\n` : ''
  return `\nThe network of build steps refused:\n${lines.join('')}${more}`
}

function subjectOf({ protocol, name, address, port }: Refusal): string {
  if (protocol === 'dns') return name === '' ? 'a name' : name
  return port === 0 ? `${address}, ${protocol}` : `${address}, ${protocol} port ${port}`
}

/** The end of a build's log: which package mirrors failed, with the codes that their answers had. */
export function mirrorFailureText(uses: readonly MirrorUse[] = []): string {
  const lines = uses.flatMap(({ name, failures }) =>
    Object.entries(failures).map(([code, count]) => `  ${name} (${code}), ${count} times\n`),
  )
  return lines.length === 0 ? '' : `\nThe package mirrors failed:\n${lines.join('')}`
}
