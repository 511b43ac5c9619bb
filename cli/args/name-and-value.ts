import { CliError, exitCodes } from '../failure.ts'
import { escapeControls } from '../output/escape-controls.ts'

/** `name=value`, cut at the first `=`. */
export function nameAndValue(option: string, text: string): { name: string; value: string } {
  const at = text.indexOf('=')
  if (at > 0) return { name: text.slice(0, at), value: text.slice(at + 1) }
  throw new CliError(`${option} ${escapeControls(text)} has no name and value.`, {
    hint: `Write ${option} name=value.`,
    code: 'cli_usage',
    exitCode: exitCodes.usage,
  })
}
