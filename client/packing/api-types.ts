import { isObject, type Json, type JsonObject, textOf } from '@sandbox-jobs/contract/openapi/json.ts'
import { renderSchema } from '@sandbox-jobs/contract/openapi/render-schema.ts'
import { type DescribedOperation, describedOperations, schemas } from './described-operations.ts'
import { commentLines, fieldLines, typeOf } from './typescript-type.ts'

/** The text of `client/src/api.ts` in the package: a type for each schema, and a method for each operation. */
export const apiTypes = (): string =>
  [
    "import type { UploadBody } from '../../contract/client/request.ts'",
    "import type { CallOptions } from './call-options.ts'",
    '',
    ...Object.entries(schemas).flatMap(([name, schema]) => [...namedType(name, schema), '']),
    '/** Every operation of the API. */',
    'export interface Operations {',
    describedOperations.map((operation) => methodLines(operation).join('\n')).join('\n\n'),
    '}',
    '',
    '/** The type of an item, by the operation that lists it. */',
    'export interface Lists {',
    ...describedOperations.flatMap(({ name, item }) => (item ? [`  ${name}: ${item}`] : [])),
    '}',
    '',
    '/** The type of an event, by the operation that streams it. */',
    'export interface Streams {',
    ...describedOperations.flatMap(({ name, event }) => (event ? [`  ${name}: ${event}`] : [])),
    '}',
    '',
  ].join('\n')

function namedType(name: string, schema: JsonObject): string[] {
  const comment = commentLines(textOf(schema.description), '')
  const type = typeOf(schema)
  const isPlain = isObject(schema.properties) && !schema.anyOf && !schema.oneOf
  return [...comment, isPlain ? `export interface ${name} ${type}` : `export type ${name} = ${type}`]
}

function methodLines({ name, route, description, ...operation }: DescribedOperation): string[] {
  const { type, isOptional } = optionsOf({ name, route, description, ...operation })
  return [
    ...commentLines(`${route.summary}.\n\n${description}`, '  '),
    `  ${name}(options${isOptional ? '?' : ''}: ${type}): Promise<${operation.result}>`,
  ]
}

/** The argument of a method. It may be left out if nothing in it is required. */
export function optionsOf({ route, params, query, headers }: DescribedOperation): {
  type: string
  isOptional: boolean
} {
  const parts = [
    ...parameterPart('params', params),
    ...parameterPart('query', query),
    ...parameterPart(
      'headers',
      headers.filter(({ required }) => required === true),
    ),
    ...bodyPart(route),
    ...(route.idempotent
      ? ['/** By default a new key, which all repeats of the call have. */\n    idempotencyKey?: string']
      : []),
  ]
  const isOptional = parts.every((part) => /^(\/\*\*.*\*\/\s*)?\w+\?:/.test(part))
  if (parts.length === 0) return { type: 'CallOptions', isOptional }
  return { type: `{\n${parts.map((part) => `    ${part}`).join('\n')}\n  } & CallOptions`, isOptional }
}

function parameterPart(part: string, parameters: JsonObject[]): string[] {
  if (parameters.length === 0) return []
  const properties = Object.fromEntries(
    parameters.map(({ name, description = '', schema }): [string, Json] => [
      textOf(name),
      { ...(isObject(schema) ? schema : {}), description },
    ]),
  )
  const required = parameters.filter((parameter) => parameter.required === true).map(({ name = '' }) => name)
  const lines = fieldLines({ properties, required }, '      ')
  return [`${part}${required.length > 0 ? '' : '?'}: {\n${lines.join('\n')}\n    }`]
}

function bodyPart({ body, bodyKind, bodyOptional }: DescribedOperation['route']): string[] {
  if (bodyKind === 'octet-stream')
    return ['/** The bytes. A stream is sent once: the call is not repeated. */\n    upload: UploadBody']
  if (bodyKind === 'multipart') return ['/** The file; a `File` brings its name. */\n    file: Blob']
  return body ? [`body${bodyOptional ? '?' : ''}: ${typeOf(renderSchema(body))}`] : []
}
