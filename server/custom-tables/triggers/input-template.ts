import { runInputMaxBytes, triggerTemplateMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { RowValues, TableField } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { jsonbBytes } from '../../base/json/jsonb-bytes.ts'

/*
 * The input of a triggered run: JSON with placeholders in its texts. Pure. Values of a row are inserted once and never read as
 * a template, so a row cannot name placeholders.
 */

/** Values that placeholders stand for. */
export interface TemplateFacts {
  event: string
  table_id: string
  row_id: string
  row_version: number
  values: RowValues
}

const factNames = ['event', 'table_id', 'row_id', 'row_version', 'values'] as const
const valuePrefix = 'values.'
/** A template can repeat the values of a row this often, which bounds what is rendered. */
const placeholdersMax = 100
const depthMax = 32

const placeholder = /\{\{([^{}]*)\}\}/g
const wholePlaceholder = /^\{\{([^{}]*)\}\}$/
const loc = ['body', 'input_template']

export const defaultTemplate: Readonly<Record<string, string>> = Object.fromEntries(
  factNames.map((name) => [name, `{{${name}}}`]),
)

/** Throws for a template that is too large, or has a placeholder that names no field of the table. */
export function checkTemplate(fields: readonly TableField[], template: unknown): void {
  const texts = textsOf(template, 1)
  if (jsonbBytes(template) > triggerTemplateMaxBytes)
    throw invalid(loc, 'too_long', `may have at most ${triggerTemplateMaxBytes} bytes`)
  const known = new Set<string>([...factNames, ...fields.map(({ name }) => `${valuePrefix}${name}`)])
  const names = texts.flatMap((text) => [...text.matchAll(placeholder)].map(([, name = '']) => name.trim()))
  if (names.length > placeholdersMax)
    throw invalid(loc, 'too_many', `may have at most ${placeholdersMax} placeholders`)
  if (!names.every((name) => known.has(name)))
    throw invalid(loc, 'unknown_placeholder', `may have ${factNames.join(', ')} and values.FIELD in {{ }}`)
}

function textsOf(template: unknown, depth: number): string[] {
  if (depth > depthMax) throw invalid(loc, 'too_deep', `may have at most ${depthMax} levels`)
  if (typeof template === 'string') return [template]
  if (typeof template !== 'object' || template === null) return []
  return Object.values(template).flatMap((part) => textsOf(part, depth + 1))
}

/** The input for one event. Throws for one whose texts are longer than an input may be. */
export const renderTemplate = (template: unknown, facts: TemplateFacts): unknown =>
  renderPart(template, { facts, texts: new Map(), leftLength: runInputMaxBytes })

interface Rendering {
  facts: TemplateFacts
  /** By placeholder: a value that is repeated is written once. */
  texts: Map<string, string>
  /** Characters that may still be inserted into texts. */
  leftLength: number
}

function renderPart(part: unknown, rendering: Rendering): unknown {
  if (typeof part === 'string') return renderText(part, rendering)
  if (typeof part !== 'object' || part === null) return part
  if (Array.isArray(part)) return part.map((each) => renderPart(each, rendering))
  return Object.fromEntries(Object.entries(part).map(([name, each]) => [name, renderPart(each, rendering)]))
}

function renderText(text: string, rendering: Rendering): unknown {
  const whole = wholePlaceholder.exec(text)
  if (whole) return factOf(whole[1], rendering.facts)
  return text.replaceAll(placeholder, (_match, name: string) => insertedText(name, rendering))
}

function insertedText(name: string, rendering: Rendering): string {
  const text = rendering.texts.get(name) ?? textOf(factOf(name, rendering.facts))
  rendering.texts.set(name, text)
  rendering.leftLength -= text.length
  if (rendering.leftLength < 0)
    throw invalid(['body', 'input'], 'too_large', `may have at most ${runInputMaxBytes} bytes`)
  return text
}

function factOf(placeholderName: string | undefined, facts: TemplateFacts): unknown {
  const name = (placeholderName ?? '').trim()
  if (name.startsWith(valuePrefix)) {
    const field = name.slice(valuePrefix.length)
    return Object.hasOwn(facts.values, field) ? facts.values[field] : null
  }
  const fact = factNames.find((each) => each === name)
  return fact ? facts[fact] : null
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
