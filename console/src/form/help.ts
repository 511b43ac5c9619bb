import { useFormats, useTexts } from '../texts/texts.tsx'
import type { Field, Limits } from './field.ts'

/** The demands of a field, in words; empty if there are none. */
export function useHelp(field: Field): string {
  const t = useTexts().inputForm.limits
  const number = (value: number) => String(value)
  const { number: whole } = useFormats()
  const { limits } = field
  const words = [
    ...rangeWords(limits, t, number),
    ...(limits.multipleOf === undefined ? [] : [t.multipleOf(number(limits.multipleOf))]),
    ...sizeWords([limits.minLength, limits.maxLength], t.characters, whole),
    ...sizeWords([limits.minItems, limits.maxItems], t.items, whole),
    ...sizeWords([limits.minProperties, limits.maxProperties], t.entries, whole),
    ...(limits.minContains === undefined ? [] : [t.contains(whole(limits.minContains))]),
    ...(field.kind === 'text' && field.format ? [t.formats[field.format]] : []),
  ]
  return words.join(' · ')
}

type LimitTexts = ReturnType<typeof useTexts>['inputForm']['limits']

function rangeWords(limits: Limits, t: LimitTexts, number: (value: number) => string): string[] {
  const words: string[] = []
  if (limits.minimum !== undefined) words.push(t.atLeast(number(limits.minimum)))
  if (limits.exclusiveMinimum !== undefined) words.push(t.moreThan(number(limits.exclusiveMinimum)))
  if (limits.maximum !== undefined) words.push(t.atMost(number(limits.maximum)))
  if (limits.exclusiveMaximum !== undefined) words.push(t.lessThan(number(limits.exclusiveMaximum)))
  return words
}

interface SizeTexts {
  atLeast: (count: string) => string
  atMost: (count: string) => string
  between: (least: string, most: string) => string
}

function sizeWords(
  [least, most]: readonly [number | undefined, number | undefined],
  t: SizeTexts,
  number: (value: number) => string,
): string[] {
  const hasLeast = least !== undefined && least > 0
  if (hasLeast && most !== undefined) return [t.between(number(least), number(most))]
  if (hasLeast) return [t.atLeast(number(least))]
  return most === undefined ? [] : [t.atMost(number(most))]
}
