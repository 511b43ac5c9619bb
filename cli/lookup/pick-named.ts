import { nearNames } from '@sandbox-jobs/contract/near-names.ts'
import { CliError } from '../failure.ts'

const someShown = 5

interface Named {
  id: string
  name: string
}

/** The only item with that id or name; otherwise an error with similar names, or with the ids to choose from. */
export function pickNamed<T extends Named>(
  kind: string,
  wanted: string,
  items: readonly T[],
  where = 'that you can see',
): T {
  const found = items.filter((item) => item.id === wanted || item.name === wanted)
  const [only] = found
  if (only && found.length === 1) return only
  if (found.length > 1) {
    throw new CliError(`${found.length} ${kind}s are named ${wanted}.`, {
      hint: `Use one of the ids: ${found.map((item) => item.id).join(', ')}.`,
      code: 'cli_ambiguous',
    })
  }
  throw unknownName(`${kind} named ${wanted} ${where}`, wanted, items)
}

function unknownName(what: string, wanted: string, items: readonly Named[]): CliError {
  const near = nearNames(
    wanted,
    items.map((item) => item.name),
  )
  return new CliError(`There is no ${what}.`, { hint: hintOf(near, items), code: 'cli_unknown_name' })
}

function hintOf(near: string[], items: readonly Named[]): string {
  if (near.length > 0) return `Did you mean ${near.join(', ')}?`
  if (items.length === 0) return 'None exists yet.'
  const some = items.slice(0, someShown).map((item) => item.name)
  return `Existing: ${some.join(', ')}${items.length > someShown ? ', …' : ''}.`
}
