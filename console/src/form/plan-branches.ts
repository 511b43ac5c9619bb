import { fits } from './fits.ts'
import { CannotPlan } from './flatten.ts'
import { isObject, type Json, type JsonObject, ownValue } from './json.ts'
import { labelOf, textOf, titleMax } from './plan-texts.ts'
import { typesOf } from './plan-types.ts'

const branchesMax = 50

/** The branches of a choice of schemas; undefined if they only demand fields that the base has. */
export function branchesOf(flat: JsonObject): { base: JsonObject; branches: Json[] } | undefined {
  const name = flat.oneOf === undefined ? 'anyOf' : 'oneOf'
  const branches = flat[name]
  if (!Array.isArray(branches) || branches.length === 0) return undefined
  if (branches.length > branchesMax) throw new CannotPlan('too_many_fields')
  const { [name]: _branches, ...base } = flat
  const onlyDemands = branches.every(
    (branch) => isObject(branch) && Object.keys(branch).every((key) => key === 'required'),
  )
  if (onlyDemands) return undefined
  const withoutTexts = Object.entries(base).filter(
    ([key]) => key !== 'title' && key !== 'description' && key !== 'default',
  )
  return { base: Object.fromEntries(withoutTexts), branches }
}

/** The other branch if one of two is null alone. */
export function withoutNull({ base, branches }: { base: JsonObject; branches: Json[] }): Json | undefined {
  const others = branches.filter((branch) => !isObject(branch) || branch.type !== 'null')
  const [other] = others
  if (branches.length !== 2 || others.length !== 1 || other === undefined) return undefined
  return { allOf: [base, other] }
}

/** The branch of a given value, or the first. */
export function firstFit(branches: JsonObject[], value: Json | undefined): number {
  if (value === undefined) return 0
  const results = branches.map((branch) => fits(branch, value))
  const sure = results.indexOf(true)
  if (sure >= 0) return sure
  return Math.max(0, results.indexOf(undefined))
}

/** A property that has another constant in each branch. */
export function discriminatorOf(branches: JsonObject[]): string | undefined {
  const [first] = branches
  const names = Object.keys(isObject(first?.properties) ? first.properties : {})
  return names.find((name) => {
    const constants = branches.map((branch) => ownValue(ownValue(branch.properties, name), 'const'))
    return (
      !constants.includes(undefined) &&
      new Set(constants.map((constant) => JSON.stringify(constant))).size === branches.length
    )
  })
}

/** The name of a branch: its title, its constant, its type or its number. */
export function kindTitle(
  branch: JsonObject,
  { discriminator, index }: { discriminator: string | undefined; index: number },
): string {
  const constant =
    discriminator === undefined ? undefined : ownValue(ownValue(branch.properties, discriminator), 'const')
  const byType = typesOf(branch)[0]
  return (
    textOf(branch.title, titleMax) ??
    (constant === undefined ? undefined : labelOf(constant)) ??
    byType ??
    String(index + 1)
  )
}
