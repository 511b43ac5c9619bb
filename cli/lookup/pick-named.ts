import { CliError } from '../failure.ts'
import { nearNames } from './near-names.ts'

interface Named {
  id: string
  name: string
}

/** The one item with that id or name; else an error that lists near names, or the ids to choose from. */
export function pickNamed<T extends Named>(kind: string, wanted: string, items: readonly T[]): T {
  const found = items.filter((item) => item.id === wanted || item.name === wanted)
  const [only] = found
  if (only && found.length === 1) return only
  if (found.length > 1) {
    throw new CliError(`${found.length} ${kind}s are named ${wanted}.`, {
      hint: `Name one by its id: ${found.map((item) => item.id).join(', ')}.`,
      code: 'cli_ambiguous',
    })
  }
  throw unknownName(kind, wanted, items)
}

export function unknownName(kind: string, wanted: string, items: readonly Named[]): CliError {
  const near = nearNames(
    wanted,
    items.map((item) => item.name),
  )
  const names = near.length > 0 ? near : items.slice(0, 5).map((item) => item.name)
  const lead = near.length > 0 ? 'Did you mean' : 'There are'
  return new CliError(`There is no ${kind} named ${wanted} that you can see.`, {
    hint:
      names.length > 0
        ? `${lead}: ${names.join(', ')}?`.replace(/^There are(.*)\?$/, 'There are$1.')
        : `There is no ${kind} yet.`,
    code: 'cli_unknown_name',
  })
}
