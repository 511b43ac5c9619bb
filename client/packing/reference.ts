import { isObject, type Json, type JsonObject, textOf } from '@sandbox-jobs/contract/openapi/json.ts'
import { renderSchema } from '@sandbox-jobs/contract/openapi/render-schema.ts'
import { type DescribedOperation, describedOperations, schemas } from './described-operations.ts'
import { typeOf } from './typescript-type.ts'

const intro = `# Reference of @sandbox-jobs/client

How to use the client: [README](README.md).

Every method takes one object, with \`params\` (parts of the path), \`query\`, \`body\`, \`headers\` and \`signal\`, and throws
\`ApiError\` with one of the codes that are named here. Every method may throw \`internal_error\`.
`

/** The text of REFERENCE.md in the package. */
export function reference(): string {
  const tags = [...new Set(describedOperations.map(({ route }) => route.tag))]
  return [
    intro,
    ...tags.map((tag) => `- [${tag}](#${tag.toLowerCase()})`),
    '- [Types](#types)',
    '',
    ...tags.flatMap((tag) => [
      `## ${tag}`,
      '',
      ...describedOperations.filter(({ route }) => route.tag === tag).flatMap(operationLines),
    ]),
    '## Types',
    '',
    ...Object.entries(schemas).flatMap(([name, schema]) => [`### ${name}`, '', ...typeLines(schema), '']),
  ].join('\n')
}

function operationLines({ name, route, description, ...operation }: DescribedOperation): string[] {
  const parameters = [
    ...parameterRows('params', operation.params),
    ...parameterRows('query', operation.query),
    ...parameterRows('headers', operation.headers),
  ]
  return [
    `### ${name}`,
    '',
    `\`${route.method} ${route.path}\``,
    '',
    `${route.summary}. ${description}`,
    '',
    ...(parameters.length > 0 ? ['| Option | Type | |', '|---|---|---|', ...parameters, ''] : []),
    ...answerLines({ name, route, description, ...operation }),
    '',
    ...(operation.errors.length > 0
      ? [`Codes: ${operation.errors.map((code) => `\`${code}\``).join(' ')}`, '']
      : []),
  ]
}

function answerLines({ name, route, result, item, event }: DescribedOperation): string[] {
  const body = bodyWords(route)
  return [
    `${body === '' ? '' : `Takes ${body}. `}Answers ${linked(result)}${event ? `, whose events are ${linked(event)}: \`sandbox.follow('${name}', ...)\`` : ''}${
      item ? `; items: \`sandbox.items('${name}', ...)\` of ${linked(item)}` : ''
    }.`,
  ]
}

function bodyWords({ body, bodyKind }: DescribedOperation['route']): string {
  if (bodyKind === 'octet-stream') return '`upload`, the bytes'
  if (bodyKind === 'multipart') return '`file`'
  const name = body && nameOf(body)
  return body ? `\`body\`${name ? ` ${linked(name)}` : ''}` : ''
}

const nameOf = (schema: unknown): string => {
  const type = typeOf(renderSchema(schema))
  return /^\w+$/.test(type) ? type : ''
}

const linked = (type: string): string =>
  Object.hasOwn(schemas, type) ? `[${type}](#${type.toLowerCase()})` : `\`${type.replaceAll(/\s+/g, ' ')}\``

const parameterRows = (part: string, parameters: JsonObject[]): string[] =>
  parameters.map(({ name, required, description, schema }) =>
    row(`\`${part}.${textOf(name)}\`${required === true ? '' : ', optional'}`, schema, textOf(description)),
  )

function typeLines(schema: JsonObject): string[] {
  const { properties, required } = schema
  if (!isObject(properties)) return ['```ts', typeOf(schema), '```']
  const rows = Object.entries(properties).map(([name, field]) => {
    const isRequired = Array.isArray(required) && required.includes(name)
    const { description = '' } = isObject(field) ? field : {}
    return row(`\`${name}\`${isRequired ? '' : ', optional'}`, field, textOf(description))
  })
  return ['| Field | Type | |', '|---|---|---|', ...rows]
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')

const row = (name: string, schema: Json | undefined, description: string): string =>
  `| ${name} | ${cell(linked(typeOf(schema)))} | ${cell(description)} |`
